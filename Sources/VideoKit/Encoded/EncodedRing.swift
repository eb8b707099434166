// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// The units of the last seconds, bounded in time and in bytes. The oldest unit is always a key frame.
///
/// The ring discards whole groups of pictures: a key frame with the units up to the next one. It discards the oldest group
/// when the others cover the duration, and when the ring exceeds its limit of bytes. If the newest group alone exceeds
/// the limit, the ring is empty until the next key frame. ``heldSince`` keeps older units, within that limit, too.
///
/// Units must have ordinary memory: frames that belong to a camera's few buffers starve the camera.
package struct EncodedRing: Sendable {
    private let duration: Duration
    private let limit: Int
    private var units = UnitList()
    /// The time since which units are kept beyond the duration, as the limit allows; `nil` for none.
    package var heldSince: ClockTime?

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - duration: The time that the ring covers at least, if the limit allows it.
    ///   - limit: The maximum number of bytes.
    package init(duration: Duration, limit: Int) { (self.duration, self.limit) = (duration, limit) }

    /// The number of units.
    package var count: Int { units.count }
    /// The number of bytes in the units.
    package var byteCount: Int { units.byteCount }
    /// The capture time of the oldest unit; `nil` if the ring is empty.
    package var start: ClockTime? { units.first?.time }
    /// The capture time of the newest unit; `nil` if the ring is empty.
    package var end: ClockTime? { units.last?.time }

    /// Adds a unit. A unit before the first key frame is discarded.
    package mutating func append(_ unit: EncodedUnit) {
        guard unit.isKey || !units.isEmpty else { return }
        units.append(unit)
        while let key = units.firstKey(from: 1), isDispensable(before: key, unit.time) { units.removeFirst(key) }
        if units.byteCount > limit { units.removeAll() }
    }

    /// Returns the units from the last key frame on that was captured at `time` or earlier, or all units if there is none:
    /// decoding them shows every picture since `time` that the ring has.
    package func units(since time: ClockTime) -> [EncodedUnit] { units.units(from: units.lastKey(notAfter: time) ?? 0) }

    /// Removes all units.
    package mutating func removeAll() { units.removeAll() }

    /// `true` if the units before a key frame are not needed, or do not fit.
    private func isDispensable(before key: Int, _ end: ClockTime) -> Bool {
        if units.byteCount > limit { return true }
        let time = units.time(at: key)
        return end - time >= duration && heldSince.map { time <= $0 } ?? true
    }
}
