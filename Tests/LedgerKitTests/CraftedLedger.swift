// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import Foundation

@testable import DatabaseKit
@testable import LedgerKit

/// A ledger whose schema reads as ours, and whose rows hold values that STRICT, NOT NULL and CHECK forbid. A program
/// that writes the file byte by byte can create one.
struct CraftedLedger {
    /// All columns, each with its table.
    static let places: [(table: String, column: String)] = tables.flatMap { table, columns in
        columns.map { (table, $0) }
    }

    private static let tables: [(String, [String])] = [
        ("series", ["template", "interval_ns", "schedule", "first", "anchor_ns", "anchor_zone", "program"]),
        ("runs", ["series", "start_ns", "start_zone", "process", "program"]),
        ("run_ends", ["run", "end_ns", "end_zone", "ending", "message"]),
        ("slots", ["run"] + LedgerEntry.columns.split(separator: ", ").map(String.init)),
        ("removals", ["slot", "file", "removed_ns", "removed_zone", "reason"]),
    ]

    /// Values at the limits of each type, and values of types that no column has.
    static let values = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775806", "1152921504606846976",
        "1152921504606846975", "-1", "0", "1e308", "-1e308", "9e999", "-9e999", "NULL", "''", "'text'", "x'00FF'",
        "x'EDA080'", "printf('%.*c', 100000, 'x')", "char(0, 27, 10)",
    ]

    let path: String

    /// Copies a sound ledger to another file, without the constraints of its schema.
    init(_ path: String, from sound: String) throws {
        self.path = path
        unlink(path)
        let source = try Database(sound, .read)
        let rows = try source.prepare(
            "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'table' DESC, rowid")
        var objects: [(name: String, type: String, text: String)] = []
        while try rows.next() {
            objects.append((try rows.requiredText(0), try rows.requiredText(1), try rows.requiredText(2)))
        }
        tables = objects.filter { $0.type == "table" }.map { ($0.name, $0.text) }
        try execute(tables.map { Self.loose($0.text) })
        let copies = tables.map { "INSERT INTO \($0.name) SELECT * FROM sound.\($0.name)" }
        try execute(["ATTACH '\(sound)' AS sound"] + copies + ["DETACH sound"])
        try execute(objects.filter { $0.type != "table" }.map(\.text))
        try execute([
            "PRAGMA application_id = \(LedgerSchema.applicationID)",
            "PRAGMA user_version = \(LedgerSchema.version)",
        ])
    }

    private let tables: [(name: String, text: String)]

    /// Sets a column to a value, in all rows or in the last one.
    ///
    /// - Returns: `false` if the column cannot hold the value in any schema (`SQLITE_MISMATCH`, `SQLITE_CONSTRAINT`).
    func set(_ table: String, _ column: String, _ value: String, isLastOnly: Bool) throws -> Bool {
        let last = isLastOnly ? " WHERE rowid = (SELECT max(rowid) FROM \(table))" : ""
        try execute(["DROP TRIGGER \(table)_no_update"])
        do {
            try execute(["UPDATE \(table) SET \(column) = \(value)\(last)"])
        } catch let error as DatabaseError where [SQLITE_MISMATCH, SQLITE_CONSTRAINT].contains(error.code & 0xFF) {
            return false
        }
        try execute([
            """
            CREATE TRIGGER \(table)_no_update BEFORE UPDATE ON \(table)
            BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END
            """
        ])
        return true
    }

    /// Replaces the text of the schema with the original one, so that the ledger looks sound.
    func pretend() throws {
        try execute(
            ["PRAGMA writable_schema = ON"]
                + tables.map {
                    "UPDATE sqlite_schema SET sql = '\($0.text.replacing("'", with: "''"))' WHERE name = '\($0.name)'"
                })
    }

    private func execute(_ statements: [String]) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw DatabaseError(SQLITE_CANTOPEN, handle) }
        defer { sqlite3_close(handle) }
        for statement in statements {
            let code = sqlite3_exec(handle, statement, nil, nil, nil)
            guard code == SQLITE_OK else { throw DatabaseError(code, handle) }
        }
    }

    private static func loose(_ text: String) -> String {
        var text = text.replacing(" STRICT", with: "").replacing(" NOT NULL", with: "")
        for type in ["INTEGER", "TEXT", "REAL"] { text = text.replacing(" " + type + ",", with: ",") }
        while let start = text.range(of: " CHECK(")?.lowerBound {
            var (depth, end) = (0, start)
            repeat {
                if text[end] == "(" { depth += 1 }
                if text[end] == ")" { depth -= 1 }
                end = text.index(after: end)
            } while depth > 0 || text[text.index(before: end)] != ")"
            text.removeSubrange(start..<end)
        }
        return text
    }
}
