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
    /// - Returns: A line for the log; `nil` if a similar one was returned before.
    mutating func shrink(
        after count: Int, most: Int?, at now: ContinuousClock.Instant
    ) -> String? {
        let known = most.flatMap { $0 < count ? $0 : nil }
        // A limit of a few bytes must be able to grow again.
        limit = max(1024, min(limit, known ?? count / 2))
        nextGrowth = now.advanced(by: Self.growth)
        guard limit < reported else { return nil }
        reported = limit
        return limit < Self.least
            ? "pictures are not sent to the MQTT broker: it accepts only messages below \(count) bytes"
            : "pictures for the MQTT broker are made smaller than \(limit) bytes: it does not accept \(count)"
    }
}
#endif
