// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench

/// Times contestants in turns: a noisy moment strikes all alike.
struct Rounds {
    /// How often each has its turn.
    var count = 20
    /// How long a turn lasts at least, in nanoseconds: so short that some find the machine quiet.
    private let turn = 4_000_000.0
    /// Frames before a turn: another was here, and its frames are in the caches. Who is slow does not notice.
    private let warmup = 4 * FrameSupply.count

    /// Times all, and takes off each what the pipeline costs without it; those that are taken off are not told of.
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

/// A contestant's result.
struct Row {
    let name: String
    let note: String
    let timing: Timing
    /// True where the frame left in other memory than it came in.
    let isCopied: Bool
}

/// Nanoseconds of CPU time for a frame.
struct Timing {
    var median: Double
    /// The least that was seen: others on the machine make it only longer.
    var least: Double

    init(median: Double, least: Double) { (self.median, self.least) = (median, least) }

    /// - Precondition: there is one at least.
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
