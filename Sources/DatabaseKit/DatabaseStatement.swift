// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite

/// A value in an SQLite file.
package enum DatabaseValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    /// A number, or `null`.
    package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
    /// A number, or `null`.
    package init(_ number: Double?) { self = number.map { .real($0) } ?? .null }
    /// A text, or `null`.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    /// A truth value, as 1 or 0.
    package init(_ isTrue: Bool) { self = .integer(isTrue ? 1 : 0) }
}

/// A prepared statement and its current row (`sqlite3_stmt`).
///
/// The content of a file need not match its schema, so each read checks the type that it expects. The ``Database`` must
/// outlive the statement.
package struct DatabaseStatement: ~Copyable {
    private let database: OpaquePointer
    private let handle: OpaquePointer

    package init(_ database: OpaquePointer, _ text: String, _ values: [DatabaseValue]) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v2(database, text, -1, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw DatabaseError(code, database) }
        for (index, value) in values.enumerated() {
            let code = Self.bind(value, at: Int32(index + 1), handle)
            guard code == SQLITE_OK else {
                sqlite3_finalize(handle)
                throw DatabaseError(code, database)
            }
        }
        (self.database, self.handle) = (database, handle)
    }

    deinit { sqlite3_finalize(handle) }

    /// Advances to the next row; `false` if there is none.
    package func next() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw DatabaseError(code, database)
        }
    }

    private static func bind(_ value: DatabaseValue, at place: Int32, _ handle: OpaquePointer) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(handle, place)
        case .integer(let number): sqlite3_bind_int64(handle, place, number)
        case .real(let number): sqlite3_bind_double(handle, place, number)
        case .text(let text): csqlite_bind_text(handle, place, text, Int32(clamping: text.utf8.count))
        }
    }
}

// MARK: - Columns

extension DatabaseStatement {
    /// `true` if there is no value.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns a whole number; `nil` if there is no value.
    package func integer(_ column: Int32) throws(DatabaseError) -> Int64? {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return sqlite3_column_int64(handle, column)
        default: throw wrong(column)
        }
    }

    /// Returns a number; `nil` if there is no value.
    package func real(_ column: Int32) throws(DatabaseError) -> Double? {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER, SQLITE_FLOAT: return sqlite3_column_double(handle, column)
        default: throw wrong(column)
        }
    }

    /// Returns a text; `nil` if there is no value.
    package func text(_ column: Int32) throws(DatabaseError) -> String? {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            guard let bytes = sqlite3_column_text(handle, column) else { throw wrong(column) }
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        default: throw wrong(column)
        }
    }

    /// Returns a whole number, and throws if there is no value.
    package func requiredInteger(_ column: Int32) throws(DatabaseError) -> Int64 {
        guard let number = try integer(column) else { throw wrong(column) }
        return number
    }

    /// Returns a text, and throws if there is no value.
    package func requiredText(_ column: Int32) throws(DatabaseError) -> String {
        guard let text = try text(column) else { throw wrong(column) }
        return text
    }

    /// Returns the error for a column with an invalid value.
    package func wrong(_ column: Int32) -> DatabaseError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
        return DatabaseError(damage: "a value of \(name) is not what it should be")
    }
}
