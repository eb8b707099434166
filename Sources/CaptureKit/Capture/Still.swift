// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture that was taken, with its record.
public struct Still: Sendable {
    /// The slot that it was taken for.
    public let slot: Slot
    /// Its number within a burst, from 0.
    public let burstIndex: Int
    /// Where it is; `nil` where it went to standard output or to the caller.
    public let path: String?
    /// The number in its name, and how many pictures this run has taken: the sequence number.
    public let sequence: Int
    /// The size of the file, in bytes.
    public let byteCount: Int
    /// Pixels in a row and rows, as stored.
    public let width: Int, height: Int
    /// The moment of the frame, by the wall clock.
    public let captured: WallTime
    /// How far the frame is from the moment asked for; negative where it is earlier.
    public let offset: Duration
    /// True where that is further than the capture tolerates.
    public let isLate: Bool
    /// How long encoding took, and how long it took to make it durable.
    public let encodingTime: Duration, storingTime: Duration
    /// The mean luma of the camera's frame, 0 black to 1 white; `nil` where that cannot be told, or there is no ledger.
    public let brightness: Double?
    /// How much fine detail the camera's frame has: the variance of the Laplacian of its luma, which falls when a picture
    /// is out of focus. To be compared within a series only. `nil` as ``brightness``.
    public let sharpness: Double?
    /// The SHA-256 of the file, 64 digits; `nil` where there is no ledger.
    public let sha256: String?
    /// The file's bytes, where the caller asked for them rather than a file.
    public let bytes: [UInt8]?
}
