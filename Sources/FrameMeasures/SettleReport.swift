// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How the wait for exposure ended.
public struct SettleReport: Sendable, Hashable {
    /// The reason why the wait ended.
    public enum Outcome: String, Sendable, Hashable {
        /// There was no wait.
        case off
        /// The picture is steady.
        case steady
        /// The fixed time is over.
        case waited
        /// The wait timed out while the picture was still changing.
        case gaveUp = "gave-up"
    }

    /// Why the wait ended.
    public let outcome: Outcome
    /// How long the wait took, from the first frame.
    public let duration: Duration
    /// How many frames were examined.
    public let frames: Int
    /// Mean brightness at the end, 0 black to 1 white; `nil` if it was not measured.
    public let brightness: Double?
}
