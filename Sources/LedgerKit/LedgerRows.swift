// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import ScheduleKit

extension DatabaseValue {
    /// Returns a moment as two columns: nanoseconds since 1970, and the offset of the zone.
    package static func moment(_ time: WallTime) -> [DatabaseValue] {
        [.integer(time.nanosecondsSince1970), .integer(Int64(time.utcOffset))]
    }
}

extension DatabaseStatement {
    /// Returns a moment from two columns, the second of which is the zone; `nil` if the first has no value.
    func moment(_ column: Int32) throws(DatabaseError) -> WallTime? {
        guard let nanoseconds = try integer(column) else { return nil }
        let zone = try requiredInteger(column + 1)
        guard -86399...86399 ~= zone else { throw wrong(column + 1) }
        return WallTime(nanosecondsSince1970: nanoseconds, utcOffset: Int(zone))
    }

    /// Returns a moment, and throws if there is no value.
    package func requiredMoment(_ column: Int32) throws(DatabaseError) -> WallTime {
        guard let moment = try moment(column) else { throw wrong(column) }
        return moment
    }

    /// Returns a size or a number, and throws if it is negative or above 2^60.
    package func count(_ column: Int32) throws(DatabaseError) -> Int {
        let number = try requiredInteger(column)
        guard 0...(1 << 60) ~= number else { throw wrong(column) }
        return Int(number)
    }
}

extension WallTime {
    /// Nanoseconds since 1970, the unit of a ledger, clamped to the years 1677 to 2262.
    package var nanosecondsSince1970: Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isFull) = product.addingReportingOverflow(Int64(nanoseconds))
        return overflow || isFull ? (seconds < 0 ? .min : .max) : sum
    }

    /// Creates the moment of such a number.
    package init(nanosecondsSince1970 nanoseconds: Int64, utcOffset: Int) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(
            seconds: rest < 0 ? seconds - 1 : seconds,
            nanoseconds: Int32(rest < 0 ? rest + 1_000_000_000 : rest), utcOffset: utcOffset)
    }
}

// MARK: - Lines

extension LedgerEntry {
    /// The columns of `slots` after `run`, in the order of ``values(_:)``.
    static let columns = """
        first, last, cause, due_ns, due_zone, last_due_ns, last_due_zone, outcome, reason, message, captured_ns, \
        captured_zone, error_ms, late, file, bytes, width, height, sha256, brightness, sharpness, controls, burst_index, \
        sequence
        """

    /// Returns the values for ``columns``, with files as the ledger at `place` names them.
    func values(_ place: LedgerPlace) -> [DatabaseValue] {
        let head: [DatabaseValue] = [.init(slots.lowerBound), .init(slots.upperBound), .text(cause.rawValue)]
        let moments = DatabaseValue.moment(due) + DatabaseValue.moment(lastDue)
        let empty = [DatabaseValue](repeating: .null, count: 14)
        switch outcome {
        case .captured(let still):
            return head + moments + [.text("captured"), .null, .null] + still.values(place)
        case .missed(let reason): return head + moments + [.text("missed"), .text(reason), .null] + empty
        case .failed(let code, let message):
            return head + moments + [.text("failed"), .text(code), .text(message)] + empty
        }
    }

    /// Reads the values that ``values(_:)`` writes, from a column on.
    init(_ row: borrowing DatabaseStatement, from column: Int32) throws(DatabaseError) {
        let (first, last) = try (row.count(column), row.count(column + 1))
        guard first <= last else { throw row.wrong(column + 1) }
        guard let cause = Slot.Cause(rawValue: try row.requiredText(column + 2)) else { throw row.wrong(column + 2) }
        self.init(
            slots: first...last, cause: cause, due: try row.requiredMoment(column + 3),
            lastDue: try row.requiredMoment(column + 5), outcome: try Self.outcome(row, column + 7))
    }

    private static func outcome(_ row: borrowing DatabaseStatement, _ column: Int32) throws(DatabaseError) -> Outcome {
        switch try row.requiredText(column) {
        case "captured": return .captured(try LedgerStill(row, from: column + 3))
        case "missed": return .missed(reason: try row.requiredText(column + 1))
        case "failed":
            return .failed(code: try row.requiredText(column + 1), message: try row.requiredText(column + 2))
        default: throw row.wrong(column)
        }
    }
}

extension LedgerStill {
    fileprivate func values(_ place: LedgerPlace) -> [DatabaseValue] {
        DatabaseValue.moment(captured) + [
            .real(errorMilliseconds), .init(isLate), .init(file.map(place.relative)), .init(byteCount), .init(width),
            .init(height), .init(sha256), .init(brightness), .init(sharpness), .init(controls), .init(burstIndex),
            .init(sequence),
        ]
    }

    fileprivate init(_ row: borrowing DatabaseStatement, from column: Int32) throws(DatabaseError) {
        guard let error = try row.real(column + 2), error.isFinite else { throw row.wrong(column + 2) }
        self.init(
            captured: try row.requiredMoment(column), errorMilliseconds: error,
            isLate: try row.requiredInteger(column + 3) != 0, file: try row.text(column + 4),
            byteCount: try row.count(column + 5), width: try row.count(column + 6), height: try row.count(column + 7),
            sha256: try row.text(column + 8), brightness: try row.real(column + 9),
            sharpness: try row.real(column + 10), controls: try row.text(column + 11),
            burstIndex: try row.count(column + 12), sequence: try row.count(column + 13))
    }
}

// MARK: - Series

extension SeriesDescription {
    /// Reads a row of `template, interval_ns, schedule`, from a column on.
    init(_ row: borrowing DatabaseStatement, from column: Int32) throws(DatabaseError) {
        self.init(
            template: try row.requiredText(column),
            interval: try row.integer(column + 1).map { Duration.nanoseconds($0) },
            schedule: try row.requiredText(column + 2))
    }

    /// The values for these columns.
    var values: [DatabaseValue] {
        [.text(template), .init(interval.map { Int($0.nanoseconds) }), .text(schedule)]
    }
}

extension SeriesPosition {
    /// Reads the position of a series; `nil` if no slot of its schedule has a line.
    ///
    /// - Parameter version: The version of the ledger's schema.
    init?(of series: Int64, in database: Database, version: Int64) throws(DatabaseError) {
        let rows = try database.prepare(version > 1 ? Self.lastSlot : Self.lastSlotOfFirstVersion, [.integer(series)])
        guard try rows.next() else { return nil }
        let numbers = try database.prepare(
            version > 1 ? Self.highestNumber : Self.highestNumberOfFirstVersion, [.integer(series)])
        let sequence = try numbers.next() ? numbers.integer(0) : nil
        guard sequence.map({ 0..<(1 << 60) ~= $0 }) ?? true else { throw numbers.wrong(0) }
        self.init(
            anchor: try rows.requiredMoment(0), lastIndex: try rows.count(2), lastDue: try rows.requiredMoment(3),
            nextSequence: sequence.map { Int($0) + 1 })
    }

    // One search of an index for each run. CROSS JOIN fixes the order of the tables: any other order reads all slots.
    private static let lastSlot = """
        SELECT anchor_ns, anchor_zone, last, last_due_ns, last_due_zone
        FROM series CROSS JOIN runs CROSS JOIN slots
        WHERE series.id = ? AND runs.series = series.id AND slots.id = (
            SELECT id FROM slots WHERE run = runs.id AND cause = 'schedule' ORDER BY last DESC LIMIT 1)
        ORDER BY last DESC LIMIT 1
        """
    private static let highestNumber = """
        SELECT max((SELECT max(sequence) FROM slots WHERE run = runs.id)) AS sequence FROM runs WHERE series = ?
        """

    // Version 1 has no such indices: each query reads all slots once.
    private static let lastSlotOfFirstVersion = """
        SELECT anchor_ns, anchor_zone, last, last_due_ns, last_due_zone
        FROM slots CROSS JOIN runs ON runs.id = slots.run CROSS JOIN series ON series.id = runs.series
        WHERE series.id = ? AND cause = 'schedule' ORDER BY last DESC LIMIT 1
        """
    private static let highestNumberOfFirstVersion = """
        SELECT max(sequence) AS sequence FROM slots CROSS JOIN runs ON runs.id = slots.run WHERE runs.series = ?
        """
}
