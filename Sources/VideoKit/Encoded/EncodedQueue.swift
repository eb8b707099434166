// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The units that a reader has not taken yet.
///
/// A queue begins with a key frame. When it exceeds its limit, it discards units up to the next key frame: first those in
/// the queue, and if no key frame is among them, those that arrive.
struct EncodedQueue: Sendable {
    /// The result of an append.
    enum Outcome: Sendable, Hashable {
        /// The unit is in the queue.
        case queued
        /// The unit was discarded, and the queue waits for a key frame: request one.
        case waitsForKey
    }

    private let limit: Int
    private var units = UnitList()
    private var hasBegun = false
    private var waitsForKey = true
    /// The number of units that were discarded since the first key frame.
    private(set) var skippedCount = 0

    /// - Parameter limit: The number of bytes that the queue holds. A single unit may be larger.
    init(limit: Int) { self.limit = limit }

    /// `true` if no unit waits.
    var isEmpty: Bool { units.isEmpty }

    /// The number of bytes in the queue.
    var byteCount: Int { units.byteCount }

    /// Adds a unit.
    mutating func append(_ unit: EncodedUnit) -> Outcome {
        guard unit.isKey || !waitsForKey else {
            if hasBegun { skippedCount += 1 }
            return .waitsForKey
        }
        (waitsForKey, hasBegun) = (false, true)
        units.append(unit)
        while units.byteCount > limit, units.count > 1 {
            guard let key = units.firstKey(from: 1) else {
                skip(units.count)
                waitsForKey = true
                return .waitsForKey
            }
            skip(key)
        }
        return .queued
    }

    /// Takes the oldest unit; `nil` if there is none.
    mutating func next() -> EncodedUnit? { units.popFirst() }

    /// Discards all units, which are not counted as skipped.
    mutating func removeAll() { units.removeAll() }

    private mutating func skip(_ count: Int) {
        units.removeFirst(count)
        skippedCount += count
    }
}
