// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service

/// The pictures of an index that changed.
public struct LibraryChanges: Sendable, Hashable {
    /// The number of pictures that are new, or whose facts changed.
    public var putCount = 0
    /// The number of pictures that were removed.
    public var removedCount = 0
    /// The newest pictures that are new or changed, at most ``mostNamed``.
    public private(set) var put: [ItemID] = []
    /// The last pictures that were removed, at most ``mostNamed``.
    public private(set) var removed: [ItemID] = []

    /// A list with more changes is read again.
    public static let mostNamed = 500

    /// Creates a value without changes.
    public init() {}

    /// `true` if nothing changed.
    public var isEmpty: Bool { putCount == 0 && removedCount == 0 }

    mutating func addPut(_ id: ItemID) {
        putCount += 1
        Self.append(id, to: &put)
    }

    mutating func addRemoved(_ id: ItemID) {
        removedCount += 1
        Self.append(id, to: &removed)
    }

    mutating func add(_ other: LibraryChanges) {
        putCount += other.putCount
        removedCount += other.removedCount
        for id in other.put { Self.append(id, to: &put) }
        for id in other.removed { Self.append(id, to: &removed) }
    }

    /// Keeps the last IDs. It drops many at a time, so that a rebuild does not move them for each picture.
    private static func append(_ id: ItemID, to list: inout [ItemID]) {
        if list.count >= 2 * mostNamed { list.removeFirst(mostNamed) }
        list.append(id)
    }
}
#endif
