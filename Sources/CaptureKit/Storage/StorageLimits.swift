// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How much a series may store, and what happens when that is reached.
public struct StorageLimits: Sendable, Hashable {
    /// How much of the disk stays free, whoever fills it.
    public var keepFree: FreeSpaceFloor?
    /// How many bytes its pictures may have in all.
    public var maxSize: Int?
    /// How old its pictures may be.
    public var maxAge: Duration?
    /// How many pictures it may have.
    public var maxCount: Int?
    /// What happens when one of these is reached.
    public var policy = LimitPolicy.stop

    /// No limits.
    public init() {}

    /// True where there is none.
    var isEmpty: Bool { keepFree == nil && maxSize == nil && maxAge == nil && maxCount == nil }

    /// The bytes that have to stay free.
    func floor(_ space: DiskSpace) -> Int { keepFree?.bytes(of: space.total) ?? 0 }
}
