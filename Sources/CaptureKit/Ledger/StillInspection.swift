// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What is looked at of a picture for the ledger.
public struct StillInspection: Sendable, Hashable {
    /// The mean luma of the camera's frame, 0 black to 1 white; `nil` where its format cannot be measured.
    public let brightness: Double?
    /// How much fine detail the camera's frame has: the variance of the Laplacian of its luma, which falls when a picture
    /// is out of focus. To be compared within a series only. `nil` as ``brightness``.
    public let sharpness: Double?
    /// The SHA-256 of the file, 64 digits.
    public let sha256: String
    /// The controls in force, as an object of JSON; `nil` where nobody knows.
    public let controls: String?
}
