// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The span of time around a moment that holds a given number of frames. Pure.
struct BestWindow: Sendable {
    /// The position of a frame relative to the window.
    enum Place: Sendable, Hashable {
        /// Before the window.
        case early
        /// In the window; others may follow.
        case inside
        /// The last frame in the window, or the first one after ``FramePicker/patience`` has run out.
        case last
        /// After the window.
        case late
    }

    /// The frame duration for a source that does not state its frame rate.
    static let usualFrameDuration = Duration.nanoseconds(33_333_333)

    let moment: ClockTime
    /// How far the window extends to each side of the moment.
    let reach: Duration
    private let frameDuration: Duration

    init(of count: Int, around moment: ClockTime, frameDuration: Duration) {
        self.moment = moment
        self.frameDuration = frameDuration
        reach = frameDuration * count / 2
    }

    /// Judges the next frame, which arrived at `now`. Frames must come in the order of their times.
    func place(of time: ClockTime, at now: ClockTime) -> Place {
        if time > moment + reach { return .late }
        // The timestamps of a source that is slower than it states fall behind and would never reach the window.
        if now - moment >= FramePicker.patience { return .last }
        if time < moment - reach { return .early }
        return time + frameDuration > moment + reach ? .last : .inside
    }
}
