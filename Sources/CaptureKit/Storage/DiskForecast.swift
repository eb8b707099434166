// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// How fast pictures fill a disk: the usual size of the last ones, and the usual time between them.
///
/// Both are medians, so that neither a night without pictures nor a single odd one tells much.
struct DiskForecast: Sendable {
    private static let window = 31

    /// The time between slots, where the schedule says it.
    private let interval: Duration?
    /// The last slots: when each was due, and the bytes of all its pictures.
    private var slots: [(slot: Slot, bytes: Int)] = []

    init(interval: Duration?) { self.interval = interval }

    /// Takes a picture into account.
    mutating func add(_ bytes: Int, for slot: Slot) {
        if let last = slots.indices.last, slots[last].slot == slot {
            slots[last].bytes += bytes
            return
        }
        slots.append((slot, bytes))
        if slots.count > Self.window { slots.removeFirst() }
    }

    /// Bytes in a second; `nil` where nobody can know yet.
    var bytesPerSecond: Double? {
        guard let size = Self.median(slots.map { Double($0.bytes) }), let gap, gap > 0 else { return nil }
        return size / gap
    }

    /// How long it takes to write so many bytes.
    func time(for bytes: Int) -> Duration? {
        guard let rate = bytesPerSecond, rate > 0 else { return nil }
        // Nobody waits for more than a century.
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
