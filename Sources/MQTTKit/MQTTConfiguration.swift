// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A broker, and how a client connects to it.
public struct MQTTConfiguration: Sendable, Equatable {
    /// The name or the address of the broker.
    public var host: String
    /// The port of the broker.
    public var port: Int
    /// The certificates of a connection with TLS; `nil` for one without.
    public var tls: MQTTCertificates?
    /// The name and the password; `nil` for none.
    public var credentials: MQTTCredentials?
    /// The time without messages after which client and broker check the connection. Whole seconds, from 5.
    public var keepAlive = Duration.seconds(60)
    /// The message that the broker publishes when the connection is lost without a farewell; `nil` for none.
    public var will: MQTTMessage?
    /// The filters of the topics that the client receives.
    public var subscriptions: [String] = []
    /// The maximum size of a message that the client receives, in bytes. A broker of MQTT 5 sends no larger one.
    public var mostReceivedBytes = 64 << 10
    /// The pause before the first attempt to reconnect. It doubles with each attempt that fails, up to
    /// ``longestPause``; each pause is a random time from half of it to all of it.
    public var firstPause = Duration.seconds(1)
    /// The longest pause between two attempts.
    public var longestPause = Duration.seconds(60)
    /// The maximum number of messages that wait to be sent, or for their acknowledgment.
    public var mostQueued = 1000
    /// The maximum size of these messages, in bytes.
    public var mostQueuedBytes = 8 << 20

    /// Creates a configuration without TLS and credentials.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
}

/// The files of a connection with TLS, in PEM.
public struct MQTTCertificates: Sendable, Equatable {
    /// The path of the certificates of authorities that the client trusts; `nil` for those of the system.
    public var authorities: String?
    /// The path of the client's certificate; `nil` for none.
    public var certificate: String?
    /// The path of the key of ``certificate``.
    public var key: String?

    /// Creates the paths.
    public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
    }
}

/// A name and a password. Their description does not contain the password.
public struct MQTTCredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The name.
    public let name: String
    /// The password; `nil` for none.
    public let password: String?

    /// Creates credentials.
    public init(name: String, password: String?) { (self.name, self.password) = (name, password) }

    /// The name alone.
    public var description: String { name }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// The pauses between attempts to connect. Pure.
struct Backoff {
    private let first: Duration
    private let longest: Duration
    private var failures = 0

    init(first: Duration, longest: Duration) { (self.first, self.longest) = (first, longest) }

    /// Returns the pause before the next attempt: a random part, from half to all, of a time that doubles.
    mutating func next(random: (ClosedRange<Double>) -> Double = { Double.random(in: $0) }) -> Duration {
        let full = min(first * (1 << min(failures, 20)), longest)
        failures += 1
        return full * random(0.5...1)
    }

    /// Begins with the first pause again: a connection was accepted.
    mutating func reset() { failures = 0 }
}
