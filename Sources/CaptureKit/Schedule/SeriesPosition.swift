// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Where a series stands that an earlier run began, for one that goes on with it: same phase, same numbering.
///
/// By the wall clock, as no other clock outlives a reboot.
public struct SeriesPosition: Sendable, Hashable {
    /// The moment from which the slots are counted.
    public var anchor: WallTime
    /// The number of the last slot that is accounted for; -1 where none is.
    public var lastIndex: Int
    /// When that slot was due; the anchor where there is none.
    public var lastDue: WallTime
    /// The number of the next picture; `nil` where none was taken yet.
    public var nextSequence: Int?

    /// Creates a position as given.
    public init(anchor: WallTime, lastIndex: Int, lastDue: WallTime, nextSequence: Int? = nil) {
        self.anchor = anchor
        self.lastIndex = lastIndex
        self.lastDue = lastDue
        self.nextSequence = nextSequence
    }
}
