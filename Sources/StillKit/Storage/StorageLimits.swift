// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The limits of the storage of a series, and the action when one is reached.
public struct StorageLimits: Sendable, Hashable {
    /// The space of the disk that must stay free. Files of other programs count, too.
    public var keepFree: FreeSpaceFloor?
    /// The maximum size of all pictures, in bytes.
    public var maxSize: Int?
    /// The maximum age of the pictures.
    public var maxAge: Duration?
    /// The maximum number of pictures.
    public var maxCount: Int?
    /// The maximum age of pictures that an outbox has sent. Older ones are removed under every ``policy``.
    public var maxAgeSent: Duration?
    /// `true` if pictures that are not sent stay, so that the series ends at a limit instead. It counts with
    /// ``LimitPolicy/prune``.
    public var keepsUnsent = false
    /// The action when a limit is reached.
    public var policy = LimitPolicy.stop

    /// Creates a value without limits.
    public init() {}

    /// `true` if there are no limits.
    package var isEmpty: Bool {
        keepFree == nil && maxSize == nil && maxAge == nil && maxCount == nil && maxAgeSent == nil
    }

    /// `true` if pictures may be removed.
    package var removes: Bool { policy.removes || maxAgeSent != nil }

    /// `true` if the limits depend on the earlier pictures, and not only on the space of the disk.
    package var countPictures: Bool { maxSize != nil || maxAge != nil || maxCount != nil || removes }

    /// Returns the bytes that must stay free.
    package func floor(_ space: DiskSpace) -> Int { keepFree?.bytes(of: space.total) ?? 0 }
}

/// The action when a series reaches one of its limits.
public enum LimitPolicy: Sendable, Hashable {
    /// The series ends after the pending pictures. Nothing is removed.
    case stop
    /// The oldest pictures are removed.
    case prune
    /// The series keeps every n-th of its pictures, from the oldest to the newest. It then begins again, and keeps
    /// every n-th of the rest. It also keeps every n-th of the pictures beyond the age limit.
    case thin(every: Int)

    /// `true` if the policy removes pictures.
    package var removes: Bool { self != .stop }
}

extension LimitPolicy: CustomStringConvertible {
    /// The setting's text: `stop`, `prune`, or `thin:4`.
    public var description: String {
        switch self {
        case .stop: "stop"
        case .prune: "prune"
        case .thin(let every): "thin:\(every)"
        }
    }
}

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
        case .share(let share):
            // `Double` rounds the largest `Int` up, beyond its range.
            Int(exactly: (Double(total) * min(1, max(0, share))).rounded()) ?? total
        }
    }
}
