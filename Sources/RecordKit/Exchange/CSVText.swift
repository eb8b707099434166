// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Comma-separated values (RFC 4180).
enum CSVText {
    /// A row of a file.
    struct Row: Sendable, Hashable {
        /// The line in which it begins, from 1.
        let line: Int
        /// The values.
        var cells: [String]
    }

    /// A mistake in a file.
    struct Mistake: Error, Sendable, Hashable {
        /// The line, from 1.
        let line: Int
        /// The mistake.
        let problem: String
        /// The remedy.
        let advice: String
    }

    /// The longest value, in bytes, and the most values of a row.
    static let mostBytes = 1 << 16, mostCells = 128

    /// Returns the values as a row with its line break.
    static func row(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.utf8.contains { [UInt8(ascii: "\""), 0x0A, 0x0D, 0x2C, 0x3B, 0x09].contains($0) }
        return isPlain && text == FixedText.trimmed(text) ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    // MARK: Formulas

    /// The first characters by which spreadsheets take a value for a formula, with the wide ones of East Asia.
    private static let formulas = Set("=+-@\t\r\n＝＋－＠".unicodeScalars)

    /// Returns a value that no spreadsheet takes for a formula: with an apostrophe before it, if it could be one.
    /// Numbers stay as they are.
    static func defused(_ text: String) -> String {
        isRisky(text) && Double(decimal: text) == nil ? "'" + text : text
    }

    /// Returns the value that ``defused(_:)`` got.
    static func undefused(_ text: String) -> String {
        text.hasPrefix("'") && isRisky(text) ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// `true` if the first character that is not an apostrophe begins a formula.
    private static func isRisky(_ text: String) -> Bool {
        text.unicodeScalars.first { $0 != "'" }.map(formulas.contains) ?? false
    }

    // MARK: Reading

    /// Reads the rows of a file, with or without a byte order mark. Values are separated by the first of comma,
    /// semicolon and tab that the first line has, as some spreadsheets write them. Empty lines are left out.
    static func read(_ bytes: [UInt8]) -> (rows: [Row], mistakes: [Mistake]) {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return ([], [Mistake(line: 1, problem: "is UTF-16", advice: "save it as CSV in UTF-8")])
        }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        var reader = CSVReader(bytes)
        return reader.read()
    }
}

/// Reads rows byte by byte.
private struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    private let separator: UInt8
    private var place: Int
    private var line = 1

    private static let (quote, feed, carriage) = (UInt8(ascii: "\""), UInt8(0x0A), UInt8(0x0D))
    /// The most mistakes to report; more are no help.
    private static let mostMistakes = 100

    init(_ bytes: ArraySlice<UInt8>) {
        (self.bytes, place) = (bytes, bytes.startIndex)
        let head = bytes.prefix { $0 != Self.feed }
        separator = head.first { [0x2C, 0x3B, 0x09].contains($0) } ?? 0x2C
    }

    mutating func read() -> (rows: [CSVText.Row], mistakes: [CSVText.Mistake]) {
        var (rows, mistakes): ([CSVText.Row], [CSVText.Mistake]) = ([], [])
        while place < bytes.endIndex, mistakes.count < Self.mostMistakes {
            let start = line
            do throws(CSVText.Mistake) {
                let cells = try row()
                if cells != [""] { rows.append(CSVText.Row(line: start, cells: cells)) }
            } catch {
                mistakes.append(error)
                skipLine()
            }
        }
        return (rows, mistakes)
    }

    private mutating func row() throws(CSVText.Mistake) -> [String] {
        var cells: [String] = []
        while true {
            cells.append(try text(try cell()))
            guard cells.count <= CSVText.mostCells else {
                throw mistake("has more than \(CSVText.mostCells) values", "check its separators")
            }
            guard place < bytes.endIndex, bytes[place] == separator else { break }
            place += 1
        }
        try endLine()
        return cells
    }

    private mutating func cell() throws(CSVText.Mistake) -> [UInt8] {
        guard place < bytes.endIndex, bytes[place] == Self.quote else {
            let plain = bytes[place...].prefix { $0 != separator && $0 != Self.feed && $0 != Self.carriage }
            guard !plain.contains(Self.quote) else {
                throw mistake(
                    "has a quotation mark inside of a value", "write the value in quotation marks, and two inside")
            }
            place = plain.endIndex
            return Array(plain)
        }
        return try quotedCell()
    }

    private mutating func quotedCell() throws(CSVText.Mistake) -> [UInt8] {
        let (start, startLine) = (place, line)
        place += 1
        var text: [UInt8] = []
        while let end = bytes[place...].firstIndex(of: Self.quote) {
            text += bytes[place..<end]
            line += bytes[place..<end].count { $0 == Self.feed }
            place = end + 1
            guard place < bytes.endIndex, bytes[place] == Self.quote else {
                let isEnd = place == bytes.endIndex || [separator, Self.feed, Self.carriage].contains(bytes[place])
                if isEnd { return text }
                throw mistake("has text after a closing quotation mark", "write two quotation marks inside of a value")
            }
            text.append(Self.quote)
            place += 1
        }
        // Reading continues in the next line: the mark may be the only mistake.
        (place, line) = (start, startLine)
        throw mistake("has a quotation mark that is not closed", "write a second one at the end of the value")
    }

    private func text(_ bytes: [UInt8]) throws(CSVText.Mistake) -> String {
        guard bytes.count <= CSVText.mostBytes else {
            throw mistake("has a value of more than \(CSVText.mostBytes >> 10) KiB", "shorten it")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw mistake("is not UTF-8 text", "save the file as CSV in UTF-8")
        }
        guard !text.utf8.contains(0) else { throw mistake("contains a NUL", "remove it") }
        return text
    }

    private mutating func endLine() throws(CSVText.Mistake) {
        guard place < bytes.endIndex else { return }
        if bytes[place] == Self.carriage {
            guard place + 1 == bytes.endIndex || bytes[place + 1] == Self.feed else {
                throw mistake("has a line break other than LF or CR LF", "save the file as CSV in UTF-8")
            }
            place += 1
        }
        if place < bytes.endIndex { place += 1 }
        line += 1
    }

    private mutating func skipLine() {
        guard let end = bytes[place...].firstIndex(of: Self.feed) else {
            place = bytes.endIndex
            return
        }
        place = end + 1
        line += 1
    }

    private func mistake(_ problem: String, _ advice: String) -> CSVText.Mistake {
        CSVText.Mistake(line: line, problem: problem, advice: advice)
    }
}
