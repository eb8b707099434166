// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Counts the wrong tokens of each address in windows of a minute. Its memory is bounded.
public struct AttemptLimit: Sendable {
    /// The wrong tokens of an address.
    private struct Window {
        var start: Duration
        var count = 0
    }

    /// An attempt beyond the limit.
    public struct Excess: Sendable, Equatable {
        /// The seconds until the next window of the address.
        public let wait: Int
        /// `true` for the first attempt of the window beyond the limit.
        public let isFirst: Bool
    }

    /// The number of wrong tokens that an address may send in a minute.
    public static let most = 10
    private static let length = Duration.seconds(60)
    private static let mostAddresses = 1024

    private var windows: [String: Window] = [:]

    /// Creates a limit without counts.
    public init() {}

    /// Counts a wrong token.
    ///
    /// - Parameters:
    ///   - address: The network of the client, such as the /64 of an IPv6 address.
    ///   - now: The time of a clock that only advances.
    /// - Returns: `nil` if the address is within the limit.
    public mutating func record(_ address: String, at now: Duration) -> Excess? {
        if windows[address] == nil { makeRoom(at: now) }
        var window = windows[address] ?? Window(start: now)
        if now - window.start >= Self.length { window = Window(start: now) }
        window.count = min(window.count + 1, Self.most + 2)
        windows[address] = window
        guard window.count > Self.most else { return nil }
        let wait = max(1, Int((Self.length - (now - window.start)).components.seconds) + 1)
        return Excess(wait: wait, isFirst: window.count == Self.most + 1)
    }

    /// Drops windows that have passed; if none has, the oldest one.
    private mutating func makeRoom(at now: Duration) {
        guard windows.count >= Self.mostAddresses else { return }
        windows = windows.filter { now - $0.value.start < Self.length }
        guard windows.count >= Self.mostAddresses,
            let oldest = windows.min(by: { $0.value.start < $1.value.start })?.key
        else { return }
        windows[oldest] = nil
    }

    /// The number of addresses with counts.
    var addressCount: Int { windows.count }
}
