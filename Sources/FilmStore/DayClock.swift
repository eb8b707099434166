// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// The clock by which days begin; tests replace it.
package struct DayClock: Sendable {
    let now: @Sendable () -> WallTime
    let zone: Zone
    /// Waits until the clock shows a moment, in seconds since 1970 UTC; returns at once when the clock is set, and when the
    /// task is canceled.
    let wait: @Sendable (Int64) async -> Void

    package init(
        now: @escaping @Sendable () -> WallTime, zone: Zone, wait: @escaping @Sendable (Int64) async -> Void
    ) { (self.now, self.zone, self.wait) = (now, zone, wait) }

    /// The clock of this machine.
    package static let machine = DayClock(now: WallTime.now, zone: .machine) { moment in
        let reading = ClockReading.now()
        let rest = moment - WallTime.now().seconds
        guard rest > 0 else { return }
        await withTaskGroup { group in
            group.addTask { try? await Task.sleep(for: .seconds(rest), clock: .suspending) }
            // The suspending clock stands still while the machine sleeps.
            group.addTask { for await _ in ClockWatch.changes(since: reading) { break } }
            await group.next()
            group.cancelAll()
        }
    }
}
