// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture that was taken, with its record.
public struct Still: Sendable {
    /// The slot that it was taken for.
    public let slot: Slot
    /// Its number within a burst, from 0.
    public let burstIndex: Int
    /// Where it is; `nil` where it went to standard output or to the caller.
    public internal(set) var path: String?
    /// The number in its name, and how many pictures this run has taken: the sequence number.
    public let sequence: Int
    /// The size of the file, in bytes.
    public let byteCount: Int
    /// Pixels in a row and rows as a viewer shows the picture: after turning by the orientation tag of a JPEG.
    public let width: Int, height: Int
    /// The moment of the frame, by the wall clock.
    public let captured: WallTime
    /// How far the frame is from the moment asked for; negative where it is earlier.
    public let offset: Duration
    /// True where that is further than the capture tolerates.
    public let isLate: Bool
    /// How long encoding took.
    public let encodingTime: Duration
    /// How long it took to make it durable, the time that it waited for the disk included.
    public internal(set) var storingTime: Duration
    /// What the ledger says of it besides; `nil` where there is none.
    public internal(set) var inspection: StillInspection?
    /// The file's bytes, where the caller asked for them rather than a file.
    public let bytes: [UInt8]?
}
