// Part of gst-capture. Apache License 2.0, see LICENSE.

import CTimerFD
import Dispatch
import Glibc

/// Tells when the wall clock was set, its zone was changed, or the machine was suspended, without asking again and again.
///
/// A timer that never ends is cancelled by the kernel on both (`TFD_TIMER_CANCEL_ON_SET`, timerfd_create(2)).
///
/// Its state belongs to its queue, for which reason it is unchecked.
final class ClockWatch: @unchecked Sendable {
    private let timer: Int32
    private let queue = DispatchQueue(label: "gst-capture.clock-watch")
    private let source: any DispatchSourceRead
    private let continuation: AsyncStream<ClockChange>.Continuation
    private var last: ClockReading
    private var zoneWatch: FileWatch?

    /// The zone of the machine, unless the variable TZ names another; most often a link.
    private static let zoneFile = "/etc/localtime"

    /// What happens to the clocks after a reading, until its listener is gone; nothing where the kernel has no such timer.
    static func changes(since reading: ClockReading) -> AsyncStream<ClockChange> {
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

    /// The handler keeps it alive until the source is cancelled.
    private func start() {
        source.setEventHandler { self.look() }
        source.setCancelHandler { [timer] in close(timer) }
        zoneWatch = FileWatch(Self.zoneFile, on: queue) { self.lookAtZone() }
        continuation.onTermination = { _ in self.end() }
        source.activate()
        queue.async { self.look() }
    }

    private func end() {
        source.cancel()
        queue.async { self.zoneWatch = nil }
    }

    /// Other files of its folder may have changed: slots move only if the zone is another.
    private func lookAtZone() {
        guard !source.isCancelled else { return }
        let before = Self.offsets
        Zone.refresh()
        guard Self.offsets != before else { return }
        let now = ClockReading.now()
        for case .suspended(let span) in now.changes(since: last) { continuation.yield(.suspended(span)) }
        last = now
        continuation.yield(.set(now.timeLine))
    }

    /// The offsets of the coming months, which differ between zones.
    private static var offsets: [Int] {
        let now = WallTime.now().seconds
        return (0..<12).map { Zone.machine.utcOffset(now + $0 * 30 * .secondsPerDay) }
    }

    private func look() {
        guard !source.isCancelled else { return }
        var ends: UInt64 = 0
        _ = read(timer, &ends, MemoryLayout.size(ofValue: ends))
        // Armed before the clocks are read: what comes in between is told by the next look.
        _ = ctimerfd_arm_until_clock_is_set(timer)
        let now = ClockReading.now()
        let changes = now.changes(since: last)
        // Noise must not add up unseen.
        if !changes.isEmpty { last = now }
        for change in changes { continuation.yield(change) }
    }
}
