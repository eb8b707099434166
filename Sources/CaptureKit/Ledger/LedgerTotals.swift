// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What the lines of a ledger come to.
public struct LedgerTotals: Sendable, Hashable {
    /// Pictures, late ones included.
    public private(set) var captured = 0
    /// Of these, how many are late.
    public private(set) var late = 0
    /// Of these, how many were removed since.
    public private(set) var removed = 0
    /// Slots that went by, by ``MissReason``.
    public private(set) var missed: [String: Int] = [:]
    /// Slots whose picture was lost.
    public private(set) var failed = 0
    /// The size of the pictures that were not removed, in bytes.
    public private(set) var byteCount = 0
    /// When the first and the last of all slots were due.
    public private(set) var first: WallTime?, last: WallTime?

    /// Slots that went by, for all reasons.
    public var missedCount: Int {
        var sum = 0
        for count in missed.values { Self.add(count, to: &sum) }
        return sum
    }

    private var errors: [Float] = []

    /// Totals of nothing.
    public init() {}

    /// Half of the pictures are no further from their moments, in milliseconds; `nil` without pictures.
    public var medianError: Double? {
        errors.isEmpty ? nil : Double(errors.sorted()[errors.count / 2])
    }

    /// The picture that is furthest from its moment, in milliseconds.
    public var worstError: Double? { errors.max().map(Double.init) }

    /// Counts a line.
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
        // A frame of a burst has no moment of its own.
        if still.burstIndex == 0 { errors.append(Float(abs(still.errorMilliseconds))) }
    }

    /// Files that lie add up to no more than there can be.
    private static func add(_ count: Int, to sum: inout Int) {
        let (total, overflow) = sum.addingReportingOverflow(count)
        sum = overflow ? .max : total
    }
}
