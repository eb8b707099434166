// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Calls again, some time after the last change of a file: not each change is an event of the kernel. SQLite makes a line
/// visible when it is on the disk, and the lock of a session ends without a change.
struct Settling {
    /// The pauses between the calls. A slow card can take seconds to store a line.
    private static let pauses: [Duration] = [.milliseconds(250), .seconds(2), .seconds(15), .seconds(60)]

    private var alarms: [String: Alarm] = [:]

    /// Begins again for a file.
    mutating func begin(_ path: String, _ call: @escaping @Sendable () async -> Void) {
        alarms[path, default: Alarm()].set(.now + Self.pauses[0]) {
            for (index, pause) in Self.pauses.enumerated() {
                if index > 0 { try? await Task.sleep(for: pause, clock: .suspending) }
                guard !Task.isCancelled else { return }
                await call()
            }
        }
    }

    /// Ends the calls for a file.
    mutating func end(_ path: String) { alarms.removeValue(forKey: path)?.cancel() }
}
