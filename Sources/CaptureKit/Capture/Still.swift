// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import ScheduleKit

/// A captured picture with its record.
public struct Still: Sendable {
    /// The slot for which it was captured.
    public let slot: Slot
    /// The index within its burst, from 0.
    public let burstIndex: Int
    /// The path of the file; `nil` if the picture went to standard output or to the caller.
    public internal(set) var path: String?
    /// The sequence number, as in the file name. A new series without numbers in its names counts its pictures from 1.
    public internal(set) var sequence: Int
    /// The size of the file, in bytes.
    public package(set) var byteCount: Int
    /// Width and height in pixels as a viewer shows the picture: after turning by the orientation tag of a JPEG.
    public let width: Int, height: Int
    /// The moment of the frame, by the wall clock.
    public let captured: WallTime
    /// The time from the requested moment to the frame; negative if the frame is earlier.
    public let offset: Duration
    /// `true` if the offset exceeds the tolerance of the capture. Only the first picture of a burst can be late.
    public let isLate: Bool
    /// How long encoding took.
    public let encodingTime: Duration
    /// How long it took to make the picture durable, including the wait for the disk.
    public internal(set) var storingTime: Duration
    /// Further facts that the ledger records; `nil` without a ledger.
    public internal(set) var inspection: StillInspection?
    /// The number of its line in the ledger; `nil` without a ledger, and while the line waits for the disk.
    public internal(set) var ledgerLine: Int?
    /// The bytes of the file if the output is the caller; otherwise `nil`. They are also `nil` if the picture waited for
    /// a task that iterates ``CaptureController/events`` and was too old, see ``CaptureEvents``.
    public package(set) var bytes: [UInt8]?
    /// The content of the side file that describes the pixels of a raw picture, if the output is the caller; otherwise
    /// `nil`.
    public internal(set) var sideFile: [UInt8]?
}
