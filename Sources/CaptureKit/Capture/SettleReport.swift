// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How exposure converged.
public struct SettleReport: Sendable, Hashable {
    /// How it ended.
    public enum Outcome: String, Sendable, Hashable {
        /// It was not waited for.
        case off
        /// The picture is steady.
        case steady
        /// The fixed time is over.
        case waited
        /// The picture was still changing when the time for it was over.
        case gaveUp = "gave-up"
    }

    /// How it ended.
    public let outcome: Outcome
    /// How long it took, from the first frame.
    public let duration: Duration
    /// How many frames were looked at.
    public let frames: Int
    /// Mean brightness at the end, 0 black to 1 white; `nil` where it was not measured.
    public let brightness: Double?
}
