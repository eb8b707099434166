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
    /// The maximum size of a message that the client receives, in bytes. A broker of MQTT 5 sends no larger one. The
    /// client ends a connection on which a message of several times this size arrives.
    public var mostReceivedBytes = 64 << 10
    /// The pause before the first attempt to reconnect. It doubles with each connection that fails, or that does not last
    /// for ``steadySpan``, up to ``longestPause``; each pause is a random time from half of it to all of it.
    public var firstPause = Duration.seconds(1)
    /// The longest pause between two attempts.
    public var longestPause = Duration.seconds(60)
    /// The time after which a connection counts as useful: pauses begin again with the first.
    public var steadySpan = Duration.seconds(30)
    /// The maximum number of messages that are not retained and wait to be sent, or for their acknowledgment.
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
    private let steady: Duration
    private var failures = 0

    /// - Parameter steady: The time after which a connection counts as useful.
    init(first: Duration, longest: Duration, steady: Duration) {
        (self.first, self.longest, self.steady) = (first, longest, steady)
    }

    /// Returns the pause before the next attempt: a random part, from half to all, of a time that doubles. It begins with
    /// the first pause again after a connection that was useful; that the broker accepted one proves nothing.
    ///
    /// - Parameter span: How long the connection lasted; `nil` if there was none.
    mutating func next(
        after span: Duration?, random: (ClosedRange<Double>) -> Double = { Double.random(in: $0) }
    ) -> Duration {
        if let span, span >= steady { failures = 0 }
        let full = min(first * (1 << min(failures, 20)), longest)
        failures += 1
        return full * random(0.5...1)
    }
}

/// The subscriptions that a broker does not accept. Pure: the caller has the clock.
struct SubscriptionRecord {
    private var strikes = 0
    /// The time until which the client does not subscribe.
    private var end: ContinuousClock.Instant?
    private var refused: Set<String> = []

    private static let mostStrikes = 2
    private static let pause = Duration.seconds(3600)

    /// Returns `true` if the client may subscribe now.
    mutating func isAllowed(at now: ContinuousClock.Instant) -> Bool {
        guard let end else { return true }
        guard end <= now else { return false }
        self.end = nil
        return true
    }

    /// Counts a connection that the broker ended before it answered the subscriptions.
    ///
    /// - Returns: The reason why the next connections do not subscribe; `nil` if they do, or if it was reported before.
    mutating func strike(at now: ContinuousClock.Instant) -> String? {
        strikes += 1
        guard strikes >= Self.mostStrikes else { return nil }
        end = now.advanced(by: Self.pause)
        return strikes == Self.mostStrikes ? "the broker ends the connection when the client subscribes" : nil
    }

    /// Returns `true` the first time that the broker refuses this filter.
    mutating func isNew(_ filter: String) -> Bool { refused.insert(filter).inserted }
}
