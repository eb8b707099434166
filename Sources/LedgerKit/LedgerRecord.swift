// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// A line of a ledger for programs. The names of its members are stable, and are those of events.
package struct LedgerRecord {
    private let members: [JSONValue.Member]

    /// Creates the record of a line.
    ///
    /// - Parameters:
    ///   - ledger: The path of the ledger.
    ///   - check: The result of the check of the file; `nil` if the file was not checked.
    package init(_ line: LedgerReader.Line, of ledger: String, _ check: LedgerCheck? = nil) {
        let entry = line.entry
        var values: [String: JSONValue] = [
            "series": .integer(line.series), "run": .integer(line.run), "slot": .integer(entry.slots.lowerBound),
            "last_slot": .integer(entry.slots.upperBound), "count": .integer(entry.slots.count),
            "cause": .string(entry.cause.rawValue), "due": .string(entry.due.iso8601),
            "last_due": .string(entry.lastDue.iso8601), "check": check.map { .string($0.word) } ?? .null,
            "ledger": .string(ledger),
        ]
        switch entry.outcome {
        case .captured(let still): values.merge(Self.values(still, line)) { $1 }
        case .missed(let reason):
            values.merge([
                "outcome": .string("missed"), "reason": .string(reason),
                "message": .string(MissReason(rawValue: reason)?.explanation ?? reason.withoutControls),
            ]) { $1 }
        case .failed(let code, let message):
            values.merge(["outcome": .string("failed"), "reason": .string(code), "message": .string(message)]) { $1 }
        }
        members = Self.names.map { JSONValue.Member(name: $0, value: values[$0] ?? .null) }
    }

    /// One object; members that do not apply are null.
    package var json: JSONValue { .object(members) }

    /// One line of CSV (RFC 4180).
    package var csv: String { Self.csv(members.map(\.value.cell)) }

    /// The first line of CSV: the names of the members.
    package static var csvHead: String { head(names) }

    /// Returns the first line of CSV for some members.
    package static func head(_ names: [String]) -> String { csv(names) }

    /// Returns the members with these names.
    package func members(_ names: some Sequence<String>) -> [JSONValue.Member] {
        names.compactMap { name in members.first { $0.name == name } }
    }

    /// Returns members as a line of CSV.
    package static func csv(_ members: [JSONValue.Member]) -> String { csv(members.map(\.value.cell)) }

    /// The names of all members, in their order.
    package static let names = [
        "series", "run", "slot", "last_slot", "count", "cause", "due", "last_due", "outcome", "late", "reason",
        "message", "captured", "offset_ms", "file", "bytes", "width", "height", "sha256", "brightness", "sharpness",
        "controls", "burst_index", "sequence", "removed", "removed_reason", "check", "ledger",
    ]

    private static func values(_ still: LedgerStill, _ line: LedgerReader.Line) -> [String: JSONValue] {
        [
            "outcome": .string("captured"), "late": .bool(still.isLate),
            "captured": .string(still.captured.iso8601), "offset_ms": .number(still.errorMilliseconds),
            "file": .optional(still.file), "bytes": .integer(still.byteCount), "width": .integer(still.width),
            "height": .integer(still.height), "sha256": .optional(still.sha256),
            "brightness": still.brightness.map(JSONValue.number) ?? .null,
            "sharpness": still.sharpness.map(JSONValue.number) ?? .null,
            "controls": still.controls.map(JSONValue.written) ?? .null, "burst_index": .integer(still.burstIndex),
            "sequence": .integer(still.sequence),
            "removed": .optional(line.removal.map { $0.time.iso8601 }),
            "removed_reason": .optional(line.removal?.reason),
        ]
    }

    private static func csv(_ cells: [String]) -> String {
        cells.map { cell in
            let isPlain = !cell.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
            return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",") + "\r\n"
    }
}

extension JSONValue {
    /// The value in a CSV cell: text without quotes, empty for null. Spreadsheets run text that begins as a formula, so
    /// such a text gets an apostrophe.
    fileprivate var cell: String {
        switch self {
        case .null: ""
        case .string(let text):
            text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false ? "'" + text : text
        default: text
        }
    }
}

extension LedgerCheck {
    /// The result in one word, also for programs.
    package var word: String {
        switch self {
        case .good: "good"
        case .missing: "missing"
        case .changed: "changed"
        case .unreadable: "unreadable"
        case .none: "none"
        }
    }
}
