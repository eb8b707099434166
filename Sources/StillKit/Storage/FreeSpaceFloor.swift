// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The space of a disk that must stay free.
public enum FreeSpaceFloor: Sendable, Hashable {
    /// A number of bytes.
    case bytes(Int)
    /// A share of the disk's size, 0 to 1.
    case share(Double)

    /// Returns the bytes that must stay free on a file system of this size.
    package func bytes(of total: Int) -> Int {
        switch self {
        case .bytes(let count): count
        case .share(let share): Int((Double(total) * min(1, max(0, share))).rounded())
        }
    }
}
