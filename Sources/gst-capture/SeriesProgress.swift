// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// How far a series is when its settings are read again: what is over is not done once more.
struct SeriesProgress: Sendable {
    /// How many of its slots are over.
    var slots = 0
    /// From the first slot to the next.
    var span = Duration.zero
    /// How long it is until the next slot; `nil` before the first.
    var untilNext: Duration?

    /// Nothing has been done.
    static let none = SeriesProgress()

    /// Takes off what is over, and keeps the rhythm.
    func shorten(_ settings: inout CaptureSettings) {
        guard let untilNext else { return }
        settings.delay = max(.zero, untilNext)
        settings.count = settings.count.map { max(1, $0 - slots) }
        settings.length = settings.length.map { max(.milliseconds(1), $0 - span) }
    }
}
