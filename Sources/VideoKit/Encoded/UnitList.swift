// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// Encoded units in order, oldest first, with their size in bytes. Adding and removing take constant time on average.
struct UnitList: Sendable {
    private var storage: [EncodedUnit?] = []
    /// The index of the oldest unit in `storage`; `nil` stands before it.
    private var start = 0
    private(set) var byteCount = 0

    var count: Int { storage.count - start }
    var isEmpty: Bool { count == 0 }
    var first: EncodedUnit? { isEmpty ? nil : storage[start] }
    var last: EncodedUnit? { isEmpty ? nil : storage[storage.count - 1] }

    /// The units as an array.
    var all: [EncodedUnit] { units(from: 0) }

    /// The units from a position on, counted from the oldest.
    func units(from position: Int) -> [EncodedUnit] { storage[(start + position)...].compactMap(\.self) }

    /// The capture time of the unit at a position.
    func time(at position: Int) -> ClockTime { storage[start + position]?.time ?? .zero }

    mutating func append(_ unit: EncodedUnit) {
        storage.append(unit)
        byteCount += unit.sample.byteCount
    }

    /// Removes and returns the oldest unit.
    mutating func popFirst() -> EncodedUnit? {
        guard let unit = first else { return nil }
        removeFirst(1)
        return unit
    }

    /// Removes the oldest units.
    mutating func removeFirst(_ number: Int) {
        for index in start..<(start + number) {
            byteCount -= storage[index]?.sample.byteCount ?? 0
            storage[index] = nil
        }
        start += number
        guard start * 2 >= storage.count else { return }
        storage.removeFirst(start)
        start = 0
    }

    mutating func removeAll() { self = UnitList() }

    /// Returns the position of the first key frame at or after a position; `nil` if there is none.
    func firstKey(from position: Int) -> Int? {
        guard position < count else { return nil }
        return storage[(start + position)...].firstIndex { $0?.isKey == true }.map { $0 - start }
    }

    /// Returns the position of the last key frame that was captured at this time or earlier; `nil` if there is none.
    func lastKey(notAfter time: ClockTime) -> Int? {
        storage[start...].lastIndex { $0.map { $0.isKey && $0.time <= time } == true }.map { $0 - start }
    }
}
