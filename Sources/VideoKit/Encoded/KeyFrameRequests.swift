// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// Decides when an encoder gets a request for a key frame: for readers that wait for one, and periodically.
///
/// Times are capture times of frames, so that no timer is needed: a request is sent with the next frame.
struct KeyFrameRequests: Sendable {
    /// The time between two requests for readers, at least, and between two periodic ones. Viewers in quick succession
    /// must not fill the video with key frames. A periodic one does not delay that of a reader.
    static let pause = Duration.milliseconds(200)
    /// Frames of a camera are never exactly in time.
    private static let tolerance = Duration.milliseconds(10)

    private let period: Duration?
    private var isRequested = false
    /// The last request for a reader, and the last periodic one.
    private var lastRequest: ClockTime?
    private var lastPeriodic: ClockTime?
    private var lastKey: ClockTime?

    /// - Parameter period: The time from one key frame to the next; `nil` leaves it to the encoder.
    init(period: Duration? = nil) { self.period = period }

    /// Records that a reader waits for a key frame.
    mutating func request() { isRequested = true }

    /// Records a key frame: all readers that wait begin with it.
    mutating func record(keyAt time: ClockTime) { (isRequested, lastKey) = (false, time) }

    /// Returns `true` if the encoder gets a request before the frame of this time.
    mutating func take(at time: ClockTime) -> Bool {
        // The first frame is a key frame without a request.
        if lastKey == nil { lastKey = time }
        if isRequested, Self.isAllowed(after: lastRequest, at: time) {
            (isRequested, lastRequest) = (false, time)
            return true
        }
        guard isDue(at: time), Self.isAllowed(after: lastPeriodic, at: time) else { return false }
        (isRequested, lastPeriodic) = (false, time)
        return true
    }

    private func isDue(at time: ClockTime) -> Bool {
        guard let period, let lastKey else { return false }
        return time - lastKey >= period - Self.tolerance
    }

    private static func isAllowed(after last: ClockTime?, at time: ClockTime) -> Bool {
        last.map { time - $0 >= pause } ?? true
    }
}
