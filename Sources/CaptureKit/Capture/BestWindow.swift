// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The span of time around a moment that so many frames fall into. Pure.
struct BestWindow: Sendable {
    /// Where a frame lies.
    enum Place: Sendable, Hashable {
        /// Before it.
        case early
        /// In it, and others may follow.
        case inside
        /// In it, or as near as can be waited for: none follows.
        case last
        /// Behind it.
        case late
    }

    /// Of a source that does not say how fast its frames come.
    static let usualFrameDuration = Duration.nanoseconds(33_333_333)

    let moment: ClockTime
    /// How far it goes to each side.
    let reach: Duration
    private let frameDuration: Duration

    init(of count: Int, around moment: ClockTime, frameDuration: Duration) {
        self.moment = moment
        self.frameDuration = frameDuration
        reach = frameDuration * count / 2
    }

    /// Judges the next frame, which came at `now`. Frames come in the order of their times.
    func place(of time: ClockTime, at now: ClockTime) -> Place {
        if time > moment + reach { return .late }
        // The times of a source that is slower than it says fall behind, and would never get there.
        if now - moment >= FramePicker.patience { return .last }
        if time < moment - reach { return .early }
        return time + frameDuration > moment + reach ? .last : .inside
    }
}
