// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Totals of the lines of a ledger.
public struct LedgerTotals: Sendable, Hashable {
    /// The number of pictures, late ones included.
    public private(set) var captured = 0
    /// The number of these pictures that are late.
    public private(set) var late = 0
    /// The number of these pictures that were removed since.
    public private(set) var removed = 0
    /// The number of missed slots by reason, the raw value of a `MissReason` or a reason of a later version.
    public private(set) var missed: [String: Int] = [:]
    /// The number of slots whose picture could not be stored.
    public private(set) var failed = 0
    /// The size of the pictures that were not removed, in bytes.
    public private(set) var byteCount = 0
    /// When the first and the last slot were due.
    public private(set) var first: WallTime?, last: WallTime?

    /// The number of missed slots, for all reasons.
    public var missedCount: Int {
        var sum = 0
        for count in missed.values { Self.add(count, to: &sum) }
        return sum
    }

    private var errors: [Float] = []

    /// Creates totals without lines.
    public init() {}

    /// The median distance of pictures from their due moments, in milliseconds; `nil` without pictures. Only the first
    /// picture of a burst counts.
    public var medianError: Double? {
        errors.isEmpty ? nil : Double(errors.sorted()[errors.count / 2])
    }

    /// The largest distance of a picture from its due moment, in milliseconds; `nil` without pictures. Only the first
    /// picture of a burst counts.
    public var worstError: Double? { errors.max().map(Double.init) }

    /// Adds a line to the totals.
    public mutating func add(_ line: LedgerReader.Line) {
        let entry = line.entry
        if first.map({ entry.due.nanosecondsSince1970 < $0.nanosecondsSince1970 }) ?? true { first = entry.due }
        if last.map({ entry.lastDue.nanosecondsSince1970 > $0.nanosecondsSince1970 }) ?? true { last = entry.lastDue }
        switch entry.outcome {
        case .captured(let still): add(still, isRemoved: line.removal != nil)
        case .missed(let reason): Self.add(entry.slots.count, to: &missed[reason, default: 0])
        case .failed: failed += 1
        }
    }

    private mutating func add(_ still: LedgerStill, isRemoved: Bool) {
        captured += 1
        late += still.isLate ? 1 : 0
        removed += isRemoved ? 1 : 0
        if !isRemoved { Self.add(still.byteCount, to: &byteCount) }
        // Later frames of a burst have no due moment.
        if still.burstIndex == 0 { errors.append(Float(abs(still.errorMilliseconds))) }
    }

    /// Stops at the largest `Int`: a damaged file may contain any numbers.
    private static func add(_ count: Int, to sum: inout Int) {
        let (total, overflow) = sum.addingReportingOverflow(count)
        sum = overflow ? .max : total
    }
}
