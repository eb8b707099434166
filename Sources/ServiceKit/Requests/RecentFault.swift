// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// An error that counts until the next success, or for five minutes: without a further request, nothing shows whether
/// its cause is still there.
struct RecentFault: Sendable {
    private var last: (error: CaptureError, time: ClockTime)?

    private static let lifetime = Duration.seconds(300)

    /// The error; `nil` if the last request succeeded or is long ago.
    var error: CaptureError? {
        get { last.flatMap { ClockTime.now - $0.time < Self.lifetime ? $0.error : nil } }
        set { last = newValue.map { ($0, .now) } }
    }
}
