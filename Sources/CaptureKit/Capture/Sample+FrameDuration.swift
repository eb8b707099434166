// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension Sample {
    /// The time from one frame to the next; `nil` if the caps do not state a frame rate.
    var frameDuration: Duration? {
        guard let rate: Fraction = caps?.structures.first?["framerate"], rate.numerator > 0, rate.denominator > 0
        else { return nil }
        return .nanoseconds(1_000_000_000 * Int64(rate.denominator) / Int64(rate.numerator))
    }
}
