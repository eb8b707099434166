// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Slots in a row that share a fate: one, or a month of them that a suspended machine slept through.
public struct SlotRun: Sendable, Hashable {
    /// The first of them.
    public let first: Slot
    /// The last of them; the first where there is one.
    public let last: Slot

    /// One slot.
    public init(_ slot: Slot) { (first, last) = (slot, slot) }

    /// The slots from one to another of the same series, which is not before it.
    public init(from first: Slot, through last: Slot) { (self.first, self.last) = (first, last) }

    /// How many slots these are.
    public var count: Int { last.index - first.index + 1 }

    /// True where this slot is one of them.
    public func contains(_ slot: Slot) -> Bool {
        slot.cause == first.cause && first.index...last.index ~= slot.index
    }
}
