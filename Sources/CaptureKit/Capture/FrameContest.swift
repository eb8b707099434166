// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Finds the sharpest of some frames, and keeps few of them meanwhile.
///
/// Raw frames, of which a camera owns few, are measured at once, and all but the best so far are let go. JPEG frames take
/// longer: they are copied, which is cheap, and decoded while the next ones come.
struct FrameContest {
    private struct Entry {
        let index: Int
        let frame: Frame
        /// Where it is not known yet.
        var sharpness: Task<Double, Never>?
        var known = 0.0

        var candidate: BestOfN.Candidate { BestOfN.Candidate(time: frame.time, sharpness: known) }
    }

    /// So many frames are decoded at a time; cameras give them faster than that is done where it comes to this.
    private static let most = 8

    private let best: BestOfN
    private let meter: SharpnessMeter
    private var entries: [Entry] = []
    private var fallback: Frame?
    private var count = 0

    init(_ best: BestOfN, _ meter: SharpnessMeter) { (self.best, self.meter) = (best, meter) }

    /// Keeps a frame that is too far off, for the case that there is no nearer one.
    mutating func fallBack(on frame: Frame) { fallback = frame }

    /// Whether a frame that is too far off is nearer than all there are.
    func prefers(_ frame: Frame) -> Bool {
        guard entries.isEmpty else { return false }
        return fallback.map { best.moment - $0.time > frame.time - best.moment } ?? true
    }

    /// Takes a frame into account.
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

    /// The best; `nil` where none came.
    mutating func winner() async -> (frame: Frame, choice: BestOfN.Choice)? {
        if let fallback { await enter(fallback) }
        guard var choice = await settle(), let entry = entries.first else { return nil }
        choice.index = entry.index
        return (entry.frame, choice)
    }

    /// Lets all go but the best.
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
