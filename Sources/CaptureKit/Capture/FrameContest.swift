// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit
import StillKit

/// Finds the sharpest of several frames, and holds only a few of them meanwhile.
///
/// A camera owns few buffers for raw frames, so they are measured at once, and all but the best so far are released.
/// JPEG frames take longer: they are copied, which is cheap, and decoded while the next ones arrive.
struct FrameContest {
    private struct Entry {
        let index: Int
        let frame: Frame
        /// The pending measurement; `nil` once the sharpness is known.
        var sharpness: Task<Double, Never>?
        var known = 0.0

        var candidate: BestOfN.Candidate { BestOfN.Candidate(time: frame.time, sharpness: known) }
    }

    /// How many JPEG frames may be pending at once. A camera that reaches this delivers frames faster than they are
    /// decoded.
    private static let most = 8

    private let best: BestOfN
    private let meter: SharpnessMeter
    private var entries: [Entry] = []
    private var fallback: Frame?
    private var count = 0

    init(_ best: BestOfN, _ meter: SharpnessMeter) { (self.best, self.meter) = (best, meter) }

    /// Keeps a frame outside the window, in case no nearer one comes.
    mutating func fallBack(on frame: Frame) { fallback = frame }

    /// Returns `true` if a frame outside the window is nearer than all frames so far.
    func prefers(_ frame: Frame) -> Bool {
        guard entries.isEmpty else { return false }
        return fallback.map { best.moment - $0.time > frame.time - best.moment } ?? true
    }

    /// Adds a frame to the contest.
    mutating func enter(_ frame: Frame) async {
        fallback = nil
        if frame.sample.caps?.videoInfo == nil, let copy = try? frame.copied() {
            if entries.count >= Self.most { await settle() }
            let sharpness = Task { [meter] in await meter.sharpness(of: copy.sample) }
            entries.append(Entry(index: count, frame: copy, sharpness: sharpness))
        } else {
            let sharpness = await meter.sharpness(of: frame.sample)
            entries.append(Entry(index: count, frame: frame, known: sharpness))
            await settle()
        }
        count += 1
    }

    /// Returns the best frame; `nil` if none came.
    mutating func winner() async -> (frame: Frame, choice: BestOfN.Choice)? {
        if let fallback { await enter(fallback) }
        guard var choice = await settle(), let entry = entries.first else { return nil }
        choice.index = entry.index
        return (entry.frame, choice)
    }

    /// Waits for the pending measurements, and releases all frames but the best.
    @discardableResult
    private mutating func settle() async -> BestOfN.Choice? {
        for index in entries.indices {
            guard let sharpness = entries[index].sharpness else { continue }
            (entries[index].known, entries[index].sharpness) = (await sharpness.value, nil)
        }
        let choice = best.choose(of: entries.map(\.candidate))
        if let choice { entries = [entries[choice.index]] }
        return choice
    }
}
