// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Logging
import MQTTKit

/// The lines of a log about a connection. Pure.
///
/// A broker can be away for months, or end each connection soon. Until a connection lasts, each reason has one line, and
/// only the first connection has one. Only the first topic that the broker refuses for a reason has a line.
struct ConnectionLog {
    typealias Event = MQTTClient.ConnectionEvent

    private var reasons: Set<String> = []
    private var refusals: Set<String> = []
    private var isConnected = false
    private var isSteady = false
    /// `true` after a connection that did not last.
    private var wasShort = false
    private var isAnnounced = false

    private static let mostReasons = 16

    /// Returns the line for an event; `nil` for none.
    mutating func line(for event: Event) -> (level: Logger.Level, text: String)? {
        switch event {
        case .connected:
            (isConnected, isSteady) = (true, false)
            return wasShort ? nil : announce()
        case .steady:
            (reasons, isSteady, wasShort) = ([], true, false)
            return announce()
        case .disconnected(let reason):
            if isConnected, !isSteady { wasShort = true }
            (isConnected, isSteady, isAnnounced) = (false, false, false)
            guard reasons.count < Self.mostReasons, reasons.insert(reason).inserted else { return nil }
            return (.warning, "no connection to the MQTT broker: \(reason)")
        case .refused(let topic, let reason):
            guard refusals.count < Self.mostReasons, refusals.insert(reason).inserted else { return nil }
            return (
                .warning,
                "the MQTT broker does not accept \(topic.quoted), perhaps also others: \(reason); "
                    + "the next attempt is in an hour"
            )
        }
    }

    private mutating func announce() -> (level: Logger.Level, text: String)? {
        guard !isAnnounced else { return nil }
        isAnnounced = true
        return (.info, "connected to the MQTT broker")
    }
}
#endif
