// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// The viewers of a stream, which wait for what it has, and its end a while after the last one has left. Any thread may use
/// it.
final class StreamAudience: Sendable {
    private let attendance = Mutex(Attendance())
    private let wakeup = Wakeup()
    private let departures = Departures()

    /// The number of viewers.
    var count: Int { attendance.withLock { $0.count } }
    /// `true` after the end: no viewer can join.
    var hasEnded: Bool { attendance.withLock { $0.hasEnded } }
    /// The number of signals so far; see ``wait(after:)``.
    var signals: UInt64 { wakeup.signals }

    /// Adds a viewer; returns its ID, or `nil` after the end.
    func join() -> Int? { attendance.withLock { $0.join() } }

    /// Removes a viewer, and wakes it.
    func leave(_ id: Int) {
        let wasLast = attendance.withLock { $0.leave(id, at: PipelineClock.system.now) }
        wakeup.signal()
        if wasLast { departures.signal() }
    }

    /// `true` if a viewer has not left, and the stream has not ended.
    func isPresent(_ id: Int) -> Bool { attendance.withLock { $0.contains(id) && !$0.hasEnded } }

    /// Wakes the viewers that wait.
    func signal() { wakeup.signal() }

    /// Waits for a signal after a number of them, or until the task is canceled.
    func wait(after signals: UInt64) async { await wakeup.wait(after: signals) }

    /// Waits until the stream has been without viewers for long enough, or has ended.
    func waitForEnd() async {
        await departures.wait { span, now in attendance.withLock { $0.endIfUnused(for: span, at: now) } }
    }

    /// Ends the stream for all viewers.
    func end() {
        attendance.withLock { $0.end() }
        wakeup.signal()
        departures.finish()
    }
}
