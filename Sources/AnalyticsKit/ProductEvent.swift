// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// An event of a session for the statistics of a product: what people do, without pictures and personal data.
/// docs/analytics.md lists the types.
public struct ProductEvent: Sendable, Hashable {
    /// The type, such as `session.opened`.
    public let type: String
    /// When it occurred.
    public let time: WallTime
    /// The details: the session, the run and their stage; durations in milliseconds.
    package let data: [JSONValue.Member]

    package init(type: String, time: WallTime, data: [JSONValue.Member]) {
        (self.type, self.time, self.data) = (type, time, data)
    }

    /// The event as an object of the Standard Webhooks specification.
    package var json: JSONValue {
        .object([
            "type": .string(type), "timestamp": .string(time.iso8601), "data": .object(data),
        ])
    }
}

/// Receives the product events of a service.
public protocol ProductEventSink: Sendable {
    /// Records an event. Runs on the actor of a session: it must not wait.
    func record(_ event: ProductEvent)
    /// The error that keeps events from being stored; `nil` if there is none.
    var fault: CaptureError? { get }
}
