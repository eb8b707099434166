// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import SystemBase
import UploadKit

/// A receiver of product events.
package struct EventReceiver: Sendable {
    /// Delivers an event. It must end soon after its task is canceled.
    package typealias Deliver = @Sendable (AnalyticsQueue.Entry) async throws(TransferFault) -> Void

    /// The name in the queue's file and in the log.
    let name: String
    let deliver: Deliver

    package init(_ name: String, deliver: @escaping Deliver) { (self.name, self.deliver) = (name, deliver) }
}

/// The clock of deliveries. Tests have their own.
struct DeliveryClock: Sendable {
    /// The moment of a clock that never jumps.
    let now: @Sendable () -> ClockTime
    /// Returns at a moment, or soon after the task is canceled.
    let sleep: @Sendable (_ until: ClockTime) async -> Void

    /// The monotonic clock of this machine.
    static let machine = DeliveryClock(
        now: { .now },
        sleep: { moment in try? await Task.sleep(for: moment - .now, clock: .suspending) })
}
#endif
