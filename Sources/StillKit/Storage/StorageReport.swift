// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The state of the disk on which a series is stored.
public struct StorageReport: Sendable, Hashable {
    /// The folder whose disk was checked.
    public let folder: String
    /// Bytes that can still be written to the disk.
    public let freeBytes: Int
    /// The bytes of the pictures that the series has recorded.
    public let usedBytes: Int
    /// The time until a limit or the end of the disk is reached at this rate; `nil` if no rate is known yet, or if
    /// older pictures make room.
    public let timeLeft: Duration?

    /// Creates a report.
    public init(folder: String, freeBytes: Int, usedBytes: Int, timeLeft: Duration?) {
        self.folder = folder
        self.freeBytes = freeBytes
        self.usedBytes = usedBytes
        self.timeLeft = timeLeft
    }

    /// Returns `true` if the report differs enough from an earlier one: by 5 % of the free space or 10 % of the time
    /// left, or if it is of another folder.
    package func isNews(after last: StorageReport?) -> Bool {
        guard let last, last.folder == folder else { return true }
        if abs(freeBytes - last.freeBytes) > last.freeBytes / 20 { return true }
        guard let timeLeft, let before = last.timeLeft else { return (timeLeft == nil) != (last.timeLeft == nil) }
        return abs((timeLeft - before).nanoseconds) > before.nanoseconds / 10
    }
}
