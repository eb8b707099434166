// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The limits of the storage of a series, and the action when one is reached.
public struct StorageLimits: Sendable, Hashable {
    /// The space of the disk that stays free, regardless of which program fills it.
    public var keepFree: FreeSpaceFloor?
    /// The most bytes that the pictures may have in total.
    public var maxSize: Int?
    /// The greatest age of the pictures.
    public var maxAge: Duration?
    /// The most pictures.
    public var maxCount: Int?
    /// The action when a limit is reached.
    public var policy = LimitPolicy.stop

    /// Creates a value without limits.
    public init() {}

    /// `true` if there are no limits.
    package var isEmpty: Bool { keepFree == nil && maxSize == nil && maxAge == nil && maxCount == nil }

    /// Returns the bytes that must stay free.
    package func floor(_ space: DiskSpace) -> Int { keepFree?.bytes(of: space.total) ?? 0 }
}
