// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
/// The maximum size of the pictures that a broker accepts, learned from its answers. Pure: the caller has the clock.
///
/// A broker of MQTT 3.1.1 does not report its limit, and ends the connection instead: the size is halved then. It doubles
/// again each hour, because the network may have ended that connection.
struct PictureSize: Sendable {
    /// The maximum size at the start, and the one below which no pictures are sent, in bytes.
    static let (most, least) = (4 << 20, 16 << 10)
    private static let growth = Duration.seconds(3600)

    private var limit = most
    private var nextGrowth: ContinuousClock.Instant?
    private var reported = most

    /// Returns the maximum size of a picture, in bytes; `nil` if the broker accepts none that is useful.
    mutating func most(at now: ContinuousClock.Instant) -> Int? {
        while let time = nextGrowth, time <= now {
            limit = min(2 * limit, Self.most)
            nextGrowth = limit < Self.most ? time.advanced(by: Self.growth) : nil
        }
        return limit < Self.least ? nil : limit
    }

    /// Learns from a picture that was too large.
    ///
    /// - Parameters:
    ///   - count: The size of the picture in bytes.
    ///   - most: The limit that the broker reported; `nil` if it did not.
    mutating func shrink(after count: Int, most: Int?, at now: ContinuousClock.Instant) {
        let known = most.flatMap { $0 < count ? $0 : nil }
        // A limit of a few bytes must be able to grow again.
        limit = max(1024, min(limit, known ?? count / 2))
        nextGrowth = now.advanced(by: Self.growth)
    }

    /// Returns a line for the log after a picture was delivered, or cannot be; `nil` if an earlier one says it.
    mutating func report() -> String? {
        guard limit < reported else { return nil }
        reported = limit
        return limit < Self.least
            ? "pictures are not sent: the MQTT broker accepts none above \(limit) bytes"
            : "pictures are sent with at most \(limit) bytes: the MQTT broker accepts no larger ones"
    }
}
#endif
