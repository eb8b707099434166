// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A message that a client sends to a broker, or receives from it.
public struct MQTTMessage: Sendable, Hashable {
    /// How a broker confirms a message.
    public enum QualityOfService: Int32, Sendable, Hashable {
        /// It does not: a message can be lost.
        case atMostOnce = 0
        /// With an acknowledgment: a message can arrive twice.
        case atLeastOnce = 1
    }

    /// The topic, such as `gst-capture/garden/availability`.
    public var topic: String
    /// The content, of any bytes. An empty retained message removes the one that the broker keeps.
    public var payload: [UInt8]
    /// How the broker confirms the message.
    public var quality: QualityOfService
    /// For a message that is sent, `true` if the broker keeps it for later subscribers. For one that is received, `true`
    /// if the broker had kept it: it is older than the subscription. A client keeps the last retained message of each
    /// topic, and sends it again to each broker to which it reconnects.
    public var isRetained: Bool

    /// Creates a message.
    public init(
        _ topic: String, _ payload: [UInt8], quality: QualityOfService = .atLeastOnce, isRetained: Bool = false
    ) {
        (self.topic, self.payload, self.quality, self.isRetained) = (topic, payload, quality, isRetained)
    }

    /// Creates a message with a text.
    public init(
        _ topic: String, _ text: String, quality: QualityOfService = .atLeastOnce, isRetained: Bool = false
    ) {
        self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
    }

    /// The payload as text; `nil` if it is not UTF-8.
    public var text: String? { String(validating: payload, as: UTF8.self) }

    /// The bytes that the message keeps in a queue.
    var byteCount: Int { topic.utf8.count + payload.count }
}

/// The outcome of a message.
public enum MQTTOutcome: Sendable, Hashable {
    /// The broker acknowledged it.
    case delivered
    /// A later message of its topic, or of a full queue, took its place.
    case replaced
    /// The broker does not accept a packet of this size.
    ///
    /// - Parameter most: The maximum size of the payload in bytes; `nil` if the broker does not report it.
    case tooLarge(most: Int?)
    /// The broker does not accept it now; the client tries its topic again later.
    case refused(reason: String)
    /// The client, the connection or the task of the caller ended before.
    case unsent

    /// The outcome in words.
    public var reason: String {
        switch self {
        case .delivered: "it was delivered"
        case .replaced: "a later message replaced it"
        case .tooLarge(let most?): "it is larger than the \(most) bytes that the broker accepts"
        case .tooLarge(nil): "the broker does not accept its size"
        case .refused(let reason): reason
        case .unsent: "the connection ended before"
        }
    }
}

/// The topics of MQTT (section 4.7 of the standard).
public enum MQTTTopic {
    /// Returns `true` if a message can have this topic: 1 to 65,535 bytes, without wildcards and NUL.
    public static func isValid(_ topic: String) -> Bool {
        (1...65_535).contains(topic.utf8.count)
            && !topic.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
    }

    /// Returns `true` if a topic matches a filter with the wildcards `+`, for one level, and `#`, for all that follow.
    public static func matches(_ topic: String, _ filter: String) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let patterns = filter.split(separator: "/", omittingEmptySubsequences: false)
        for (index, pattern) in patterns.enumerated() {
            if pattern == "#" { return index == patterns.count - 1 }
            guard index < levels.count, pattern == "+" || pattern == levels[index] else { return false }
        }
        return levels.count == patterns.count
    }
}
