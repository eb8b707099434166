// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How much of a disk is to stay free.
public enum FreeSpaceFloor: Sendable, Hashable {
    /// So many bytes.
    case bytes(Int)
    /// This part of its size, 0 to 1.
    case share(Double)

    /// The bytes that are to stay free in a file system of this size.
    func bytes(of total: Int) -> Int {
        switch self {
        case .bytes(let count): count
        case .share(let share): Int((Double(total) * min(1, max(0, share))).rounded())
        }
    }
}
