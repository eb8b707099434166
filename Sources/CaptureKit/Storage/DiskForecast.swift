// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// The rate at which pictures fill a disk: the usual size of the last slots' pictures and the usual time between slots.
///
/// Both are medians, so that a night without pictures or a single odd picture hardly changes them.
struct DiskForecast: Sendable {
    private static let window = 31

    /// The time between slots, if the schedule has an interval.
    private let interval: Duration?
    /// The last slots, with the total bytes of each slot's pictures.
    private var slots: [(slot: Slot, bytes: Int)] = []

    init(interval: Duration?) { self.interval = interval }

    /// Adds a picture of a slot.
    mutating func add(_ bytes: Int, for slot: Slot) {
        if let last = slots.indices.last, slots[last].slot == slot {
            slots[last].bytes += bytes
            return
        }
        slots.append((slot, bytes))
        if slots.count > Self.window { slots.removeFirst() }
    }

    /// Bytes a second; `nil` if the rate is not known yet.
    var bytesPerSecond: Double? {
        guard let size = Self.median(slots.map { Double($0.bytes) }), let gap, gap > 0 else { return nil }
        return size / gap
    }

    /// Returns the time in which the series writes this many bytes; `nil` if the rate is not known yet.
    func time(for bytes: Int) -> Duration? {
        guard let rate = bytesPerSecond, rate > 0 else { return nil }
        // The forecast ends at a century.
        return .seconds(min(Double(max(0, bytes)) / rate, 100 * 365 * 86400))
    }

    private var gap: Double? {
        if let interval { return Double(interval.nanoseconds) / 1e9 }
        return Self.median(zip(slots, slots.dropFirst()).map { Double(($1.slot.due - $0.slot.due).nanoseconds) / 1e9 })
    }

    private static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
}
