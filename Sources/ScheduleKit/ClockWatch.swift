// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Dispatch
import Glibc

/// Emits an event when the wall clock is set, its zone changes or the machine was suspended, without polling.
///
/// The kernel cancels a timer that never expires when the clock is set or the machine resumes
/// (`TFD_TIMER_CANCEL_ON_SET`, timerfd_create(2)).
///
/// `@unchecked Sendable` because after `start()` its state is used on its queue only.
package final class ClockWatch: @unchecked Sendable {
    private let timer: Int32
    private let queue = DispatchQueue(label: "gst-capture.clock-watch")
    private let source: any DispatchSourceRead
    private let continuation: AsyncStream<ClockChange>.Continuation
    private var last: ClockReading
    private var zoneWatch: FileWatch?

    /// The file of the machine's zone, most often a link. The variable TZ takes precedence over it.
    private static let zoneFile = "/etc/localtime"

    /// Returns a stream of the changes of the clocks after a reading. The stream never ends; the watch ends when its
    /// listener does. If the kernel has no such timer, the stream has no changes.
    package static func changes(since reading: ClockReading) -> AsyncStream<ClockChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: ClockChange.self)
        let timer = ctimerfd_create_realtime()
        guard timer >= 0 else { return stream }
        ClockWatch(timer, since: reading, continuation).start()
        return stream
    }

    private init(_ timer: Int32, since reading: ClockReading, _ continuation: AsyncStream<ClockChange>.Continuation) {
        (self.timer, last, self.continuation) = (timer, reading, continuation)
        source = DispatchSource.makeReadSource(fileDescriptor: timer, queue: queue)
    }

    /// The event handler keeps the watch alive until the source is canceled.
    private func start() {
        source.setEventHandler { self.checkClocks() }
        source.setCancelHandler { [timer] in close(timer) }
        zoneWatch = FileWatch(Self.zoneFile, on: queue) { self.checkZone() }
        continuation.onTermination = { _ in self.end() }
        source.activate()
        queue.async { self.checkClocks() }
    }

    private func end() {
        source.cancel()
        queue.async { self.zoneWatch = nil }
    }

    /// Emits an event if the offsets of the zone changed. The file watch also reports other files of the folder.
    private func checkZone() {
        guard !source.isCancelled else { return }
        let before = Self.offsets
        Zone.refresh()
        guard Self.offsets != before else { return }
        let now = ClockReading.now()
        for case .suspended(let span) in now.changes(since: last) { continuation.yield(.suspended(span)) }
        last = now
        continuation.yield(.set(now.timeLine))
    }

    /// The UTC offsets of the zone at twelve moments, 30 days apart. Two zones with the same offsets count as one.
    private static var offsets: [Int] {
        let now = WallTime.now().seconds
        return (0..<12).map { Zone.machine.utcOffset(now + $0 * 30 * .secondsPerDay) }
    }

    /// Emits an event if the wall clock was set, or if the machine was suspended.
    private func checkClocks() {
        guard !source.isCancelled else { return }
        var ends: UInt64 = 0
        _ = read(timer, &ends, MemoryLayout.size(ofValue: ends))
        // The timer is armed before the clocks are read, so that the next call finds a change in between.
        _ = ctimerfd_arm_until_clock_is_set(timer)
        let now = ClockReading.now()
        let changes = now.changes(since: last)
        // Without a change the old reading stays, so that small differences add up to one that is reported.
        if !changes.isEmpty { last = now }
        for change in changes { continuation.yield(change) }
    }
}

/// A change of the system's clocks.
package enum ClockChange: Sendable {
    /// The machine was suspended for this long: the monotonic clock stood still, the wall clock continued.
    case suspended(Duration)
    /// The wall clock was set, or its zone changed.
    case set(TimeLine)
}
