// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a series stands with the disk that it is stored on.
public struct StorageReport: Sendable, Hashable {
    /// The folder that was looked at.
    public let folder: String
    /// Bytes that may still be written there.
    public let freeBytes: Int
    /// Bytes that the pictures of the series have, as far as it is known to have made them.
    public let usedBytes: Int
    /// The time until a limit, or the end of the disk, is reached at this rate; `nil` where no rate is known yet, or
    /// older pictures make room.
    public let timeLeft: Duration?

    /// Creates a report as given.
    public init(folder: String, freeBytes: Int, usedBytes: Int, timeLeft: Duration?) {
        self.folder = folder
        self.freeBytes = freeBytes
        self.usedBytes = usedBytes
        self.timeLeft = timeLeft
    }

    /// True where it is worth telling after another: by a twentieth of the space, or a tenth of the time.
    func isNews(after last: StorageReport?) -> Bool {
        guard let last, last.folder == folder else { return true }
        if abs(freeBytes - last.freeBytes) > last.freeBytes / 20 { return true }
        guard let timeLeft, let before = last.timeLeft else { return (timeLeft == nil) != (last.timeLeft == nil) }
        return abs((timeLeft - before).nanoseconds) > before.nanoseconds / 10
    }
}
