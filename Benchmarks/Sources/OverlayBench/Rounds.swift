// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench

/// Times contestants in turns, so that a disturbance affects all alike.
struct Rounds {
    /// The number of turns of each contestant.
    var count = 20
    /// The minimum length of a turn in nanoseconds: short enough that some turns are undisturbed.
    private let turn = 4_000_000.0
    /// The frames before each turn, which load the contestant's frames into the caches. They do not matter for slow
    /// contestants.
    private let warmup = 4 * FrameSupply.count

    /// Times all contestants, and subtracts the cost of the pipeline without each; the bases have no rows.
    func run(_ contestants: [Contestant]) throws -> [Row] {
        bench_pin_thread()
        defer { bench_release_thread() }
        let frames = try contestants.map(framesOfTurn)
        var times = contestants.map { _ in [Double]() }
        for _ in 0..<count {
            for (index, contestant) in contestants.enumerated() {
                times[index].append(try time(contestant, frames[index]))
            }
        }
        return try rows(contestants, times.map(Timing.init))
    }

    private func rows(_ contestants: [Contestant], _ timings: [Timing]) throws -> [Row] {
        try zip(contestants, timings).compactMap { contestant, timing in
            let base = contestants.firstIndex { $0.role != nil && $0.role == contestant.base }
            guard let base else { return nil }
            let isCopied = try contestant.line.inspect().copied
            return Row(name: contestant.name, note: contestant.note, timing: timing - timings[base], isCopied: isCopied)
        }
    }

    private func framesOfTurn(_ contestant: Contestant) throws -> Int {
        min(2000, max(2, Int(turn / max(1, try time(contestant, 2)))))
    }

    private func time(_ contestant: Contestant, _ frames: Int) throws -> Double {
        try contestant.line.push(min(warmup, frames - 1))
        let start = CPUTime.now
        try contestant.line.push(frames)
        return Double(CPUTime.now - start) / Double(frames)
    }
}

/// The result of a contestant.
struct Row {
    let name: String
    let note: String
    let timing: Timing
    /// `true` if the frame is in other memory after the pipeline.
    let isCopied: Bool
}

/// CPU time for a frame, in nanoseconds.
struct Timing {
    var median: Double
    /// The shortest time: other programs on the machine only make it longer.
    var least: Double

    init(median: Double, least: Double) { (self.median, self.least) = (median, least) }

    /// - Precondition: `times` is not empty.
    init(_ times: [Double]) {
        let sorted = times.sorted()
        self.init(median: sorted[sorted.count / 2], least: sorted[0])
    }

    static func / (whole: Timing, count: Double) -> Timing {
        Timing(median: whole.median / count, least: whole.least / count)
    }

    static func - (whole: Timing, base: Timing) -> Timing {
        Timing(median: max(0, whole.median - base.median), least: max(0, whole.least - base.least))
    }
}
