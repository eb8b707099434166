// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Consecutive slots with the same result: a single one, or a month of slots during which the machine was suspended.
public struct SlotRun: Sendable, Hashable {
    /// The first slot.
    public let first: Slot
    /// The last slot; the first one if there is only one.
    public let last: Slot

    /// Creates a run of one slot.
    public init(_ slot: Slot) { (first, last) = (slot, slot) }

    /// Creates the run from one slot to another of the same series, which must not be earlier.
    public init(from first: Slot, through last: Slot) { (self.first, self.last) = (first, last) }

    /// The number of slots.
    public var count: Int { last.index - first.index + 1 }

    /// `true` if the run contains the slot.
    public func contains(_ slot: Slot) -> Bool {
        slot.cause == first.cause && first.index...last.index ~= slot.index
    }
}
