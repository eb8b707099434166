// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Reads records from a file, or from a text with the hashes of pictures, into a store.
package struct RecordImport {
    /// The result.
    package struct Report: Sendable, Hashable {
        /// The numbers of new, changed and equal records.
        package var created = 0, changed = 0, unchanged = 0
        /// The mistakes, in the order of the file.
        package var faults: [RecordLineFault] = []
        /// `true` if the records are in the store.
        package var isStored = false
    }

    /// The largest file, in bytes.
    package static let mostBytes = 64 << 20

    private let store: RecordStore
    private let kind: RecordKind
    private let path: String
    private let source: Source
    /// The pictures that were read.
    private var pictures: [String: RecordBlob] = [:]
    private var faults: [RecordLineFault] = []

    private enum Source {
        /// A file, with pictures beside it.
        case file(ExchangeFolder)
        /// A text, with pictures of the store.
        case text([UInt8], RecordFormat)
    }

    /// Prepares to read a file.
    package init(_ path: String, into store: RecordStore, kind: RecordKind) {
        (self.path, self.store, self.kind) = (path, store, kind)
        source = .file(ExchangeFolder(besides: path))
    }

    /// Prepares to read a text.
    package init(_ text: [UInt8], _ format: RecordFormat, into store: RecordStore, kind: RecordKind) {
        (path, self.store, self.kind, source) = ("body", store, kind, .text(text, format))
    }

    /// Reads the file, and stores its records: all of them, or none if a line has a mistake. Pictures are stored
    /// before, and stay for a day if no record needs them. It blocks.
    ///
    /// - Parameters:
    ///   - isPartial: `true` to store the records of the lines without mistakes.
    ///   - isTrial: `true` to store none.
    /// - Throws: `CaptureError` if the file cannot be read, or the store cannot be used.
    package mutating func run(isPartial: Bool = false, isTrial: Bool = false) throws(CaptureError) -> Report {
        let (bytes, format) = try content()
        (faults, pictures) = ([], [:])
        let edits = format == .csv ? try readCSV(bytes) : try readJSON(bytes)
        let outcomes = try store.apply(
            edits.map(\.edit), to: kind, isPartial: isPartial, isTrial: isTrial || !isPartial && !faults.isEmpty)
        var report = Report()
        for (outcome, line) in zip(outcomes, edits.map(\.line)) {
            switch outcome {
            case .created: report.created += 1
            case .changed: report.changed += 1
            case .unchanged: report.unchanged += 1
            case .refused(let found): faults += found.map { RecordLineFault(line: line, fault: $0) }
            }
        }
        report.faults = faults.sorted { $0.line < $1.line }
        report.isStored = !isTrial && (isPartial || faults.isEmpty)
        return report
    }

    private func content() throws(CaptureError) -> ([UInt8], RecordFormat) {
        if case .text(let bytes, let format) = source { return (bytes, format) }
        let format = try RecordFormat(path: path)
        let bytes = try RegularFile.read(path, most: Self.mostBytes + 1)
        guard bytes.count <= Self.mostBytes else {
            throw CaptureError(
                .noInput, "is larger than \(Self.mostBytes >> 20) MiB", subject: RegularFile.display(path),
                advice: "divide it")
        }
        return (bytes, format)
    }

    /// A change with its line.
    private typealias Edit = (line: Int, edit: RecordEdit)

    /// Adds the mistakes of a line instead of throwing them.
    private mutating func collect(_ line: Int, _ body: (inout Self) throws(RecordFault) -> Void) {
        do throws(RecordFault) { try body(&self) } catch { faults.append(RecordLineFault(line: line, fault: error)) }
    }

    // MARK: CSV

    private mutating func readCSV(_ bytes: [UInt8]) throws(CaptureError) -> [Edit] {
        let (rows, mistakes) = CSVText.read(bytes)
        faults = mistakes.map { mistake in
            RecordLineFault(line: mistake.line, fault: RecordFault(nil, mistake.problem, advice: mistake.advice))
        }
        guard let head = rows.first else {
            if faults.isEmpty {
                add(
                    1,
                    RecordFault(nil, "has no line of names", advice: "begin it with \(columns.joined(separator: ","))"))
            }
            return []
        }
        let names = head.cells.map(FixedText.trimmed)
        guard checkNames(names, head.line) else { return [] }
        var edits: [Edit] = []
        for row in rows.dropFirst() {
            guard row.cells.count == names.count else {
                add(
                    row.line,
                    RecordFault(
                        nil, "has \(row.cells.count) values instead of \(names.count)", advice: "check its separators"))
                continue
            }
            let before = faults.count
            let edit = edit(zip(names, row.cells).map { ($0, CSVText.undefused($1)) }, row.line)
            if faults.count == before { edits.append((row.line, edit)) }
        }
        return edits
    }

    private var columns: [String] { ["id"] + kind.fields.map(\.name) + kind.sides.map(\.name) }

    private mutating func add(_ line: Int, _ fault: RecordFault) {
        faults.append(RecordLineFault(line: line, fault: fault))
    }

    private mutating func checkNames(_ names: [String], _ line: Int) -> Bool {
        let before = faults.count
        var known: Set<String> = []
        for name in names {
            if !columns.contains(name) {
                let near = Spelling.nearest(to: name, among: columns).map { "did you mean \($0)?" }
                add(
                    line,
                    RecordFault(
                        nil, "\(name.quoted) is not a column",
                        advice: near ?? "use \(columns.joined(separator: ", "))"))
            } else if !known.insert(name).inserted {
                add(line, RecordFault(nil, "there are two columns \(name.quoted)", advice: "remove one"))
            }
        }
        return faults.count == before
    }

    private mutating func edit(_ cells: [(name: String, text: String)], _ line: Int) -> RecordEdit {
        var edit = RecordEdit()
        for (name, text) in cells {
            if name == "id" {
                collect(line) { _ throws(RecordFault) in edit.id = try Self.id(text) }
            } else if kind.sides.contains(where: { $0.name == name }) {
                let file = FixedText.trimmed(text)
                edit.sides[name] = .some(nil)
                guard !file.isEmpty else { continue }
                collect(line) { reader throws(RecordFault) in
                    edit.sides[name] = RecordPicture(try reader.blob(file, .side(name)))
                }
            } else {
                edit.values[name] = text
            }
        }
        return edit
    }

    private static func id(_ text: String) throws(RecordFault) -> RecordID? {
        let text = FixedText.trimmed(text)
        guard !text.isEmpty else { return nil }
        guard let id = RecordID(text.lowercased()) else {
            throw RecordFault(nil, "\(text.quoted) is not an ID", advice: "leave it empty for a new record")
        }
        return id
    }

    private mutating func blob(_ name: String, _ part: RecordPart) throws(RecordFault) -> RecordBlob {
        guard case .file(let folder) = source else {
            if let blob = store.blob(name) { return blob }
            throw RecordFault(
                part, "\(name.quoted) is not the SHA-256 of a picture of records", advice: "store the picture first")
        }
        let file = try folder.path(name, part)
        if let known = pictures[file] { return known }
        do throws(CaptureError) {
            let blob = try store.addBlob(try RegularFile.read(file, most: RecordBlobFolder.mostBytes + 1))
            pictures[file] = blob
            return blob
        } catch {
            throw RecordFault(part, "\(name.quoted): \(error.message)", advice: error.advice)
        }
    }

    // MARK: JSON

    private mutating func readJSON(_ bytes: [UInt8]) throws(CaptureError) -> [Edit] {
        var edits: [Edit] = []
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !line.isEmpty else { continue }
            let before = faults.count
            var edit = RecordEdit()
            edit.isWhole = true
            collect(index + 1) { reader throws(RecordFault) in try reader.read(line, into: &edit) }
            if faults.count == before { edits.append((index + 1, edit)) }
        }
        return edits
    }

    private mutating func read(_ line: ArraySlice<UInt8>, into edit: inout RecordEdit) throws(RecordFault) {
        guard line.count <= RecordKind.mostBytes * 2, let text = String(validating: line, as: UTF8.self) else {
            throw RecordFault(nil, "is not UTF-8 text, or too long", advice: "write one object a line")
        }
        do throws(CaptureError) {
            let node = try JSONNode(
                text, path: path, levels: RecordContent.levels, mostValues: RecordContent.mostValues)
            if let other = try node.optionalText("kind"), other != kind.id {
                throw node.wrong("is of the kind \(other.quoted)")
            }
            if let id = try node.optionalText("id") {
                guard let id = RecordID(id) else { throw node.wrong("\(id.quoted) is not an ID") }
                edit.id = id
            }
            edit.values = try node.optional("fields")?.values() ?? [:]
            for (name, side) in try node.optional("sides")?.members() ?? [] {
                edit.sides[name] = .some(try picture(side, .side(name)))
            }
        } catch {
            throw RecordFault(nil, error.message, advice: error.advice)
        }
    }

    private mutating func picture(_ node: JSONNode, _ part: RecordPart) throws(CaptureError) -> RecordPicture {
        var picture = RecordPicture(try blob(node, part))
        if let origin = try node.optional("origin") {
            picture.origin = try RecordPicture.Origin(try blob(origin, part), origin)
        }
        return picture
    }

    private mutating func blob(_ node: JSONNode, _ part: RecordPart) throws(CaptureError) -> RecordBlob {
        let name = try node.text("file")
        do throws(RecordFault) {
            return try blob(name, part)
        } catch {
            throw CaptureError(.inputOutput, "\(part.name): \(error.problem)", advice: error.advice)
        }
    }
}
