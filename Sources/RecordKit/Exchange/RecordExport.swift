// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// Writes the records of a kind to a file, and their pictures to a folder beside it; or returns the text of such a file,
/// with the hashes of pictures in place of their names.
package struct RecordExport {
    /// The result.
    package struct Report: Sendable, Hashable {
        /// The number of records.
        package var count = 0
        /// The number of pictures.
        package var pictureCount = 0
        /// The sides whose pictures are not on this machine. The file has no name for them.
        package var missing: [Missing] = []
    }

    /// A side whose picture is not on this machine.
    package struct Missing: Sendable, Hashable {
        /// The record.
        package let id: RecordID
        /// The name of the side.
        package let side: String
    }

    private let store: RecordStore
    private let kind: RecordKind
    /// The file; empty for a text.
    private let path: String
    private let files: StillStore
    private let overwrites: Bool
    private var report = Report()

    /// Prepares to write a file.
    ///
    /// - Parameter overwrites: `true` to replace files.
    package init(_ path: String, of kind: RecordKind, from store: RecordStore, overwrites: Bool = false) {
        (self.path, self.kind, self.store, self.overwrites) = (path, kind, store, overwrites)
        // The values and pictures can identify people: only the owner may read them.
        files = StillStore(overwrites: overwrites, latest: nil, isPrivate: true)
    }

    /// Returns all records of a kind that are not in the trash, the one that changed last at the end. It blocks.
    ///
    /// - Throws: `CaptureError` if the store cannot be used.
    package static func text(
        _ format: RecordFormat, of kind: RecordKind, from store: RecordStore
    ) throws(CaptureError) -> String {
        var export = RecordExport("", of: kind, from: store)
        return try export.text(format)
    }

    /// Writes all records that are not in the trash, the one that changed last at the end. It blocks.
    ///
    /// - Throws: `CaptureError` if the format is unknown, a file exists or cannot be written, or the store cannot be
    ///   used.
    package mutating func run() throws(CaptureError) -> Report {
        let format = try RecordFormat(path: path)
        guard overwrites || !DeviceFiles.exists(path) else {
            throw CaptureError(
                .cannotCreate, "exists already", subject: RegularFile.display(path),
                advice: "use --overwrite, or choose another name")
        }
        report = Report()
        try files.write(Array(try text(format).utf8), to: path)
        if report.pictureCount > 0 { try StillFolder.sync(folder) }
        return report
    }

    private mutating func text(_ format: RecordFormat) throws(CaptureError) -> String {
        var text = format == .csv ? CSVText.row(columns) : ""
        try store.eachRecord(of: kind.id) { record throws(CaptureError) in
            text += format == .csv ? CSVText.row(try cells(record)) : try json(record).text + "\n"
            report.count += 1
        }
        return text
    }

    private var columns: [String] { ["id"] + kind.fields.map(\.name) + kind.sides.map(\.name) }

    /// The folder of the pictures: the name of the file without its ending.
    private var folderName: String {
        let name = DeviceFiles.name(of: path)
        return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }

    private var folder: String { StillFolder.path(of: path) + "/" + folderName }

    private mutating func cells(_ record: Record) throws(CaptureError) -> [String] {
        var cells = [record.id.description] + kind.fields.map { CSVText.defused(record.content.values[$0.name] ?? "") }
        for side in kind.sides {
            let picture = record.content.sides[side.name]
            cells.append(
                try picture.flatMap { picture throws(CaptureError) in try copy(picture.file, record, side.name) } ?? "")
        }
        return cells
    }

    private mutating func json(_ record: Record) throws(CaptureError) -> JSONValue {
        let values = record.content.values.sorted { $0.key < $1.key }
        var sides: [JSONValue.Member] = []
        for (name, picture) in record.content.sides.sorted(by: { $0.key < $1.key }) {
            guard let file = try copy(picture.file, record, name) else { continue }
            var members = [JSONValue.Member(name: "file", value: .string(file))]
            if let origin = picture.origin, let whole = try copy(origin.file, record, name, "-whole") {
                let place = [JSONValue.Member(name: "file", value: .string(whole))] + origin.placeMembers
                members.append(JSONValue.Member(name: "origin", value: .object(place)))
            }
            sides.append(JSONValue.Member(name: name, value: .object(members)))
        }
        return .object([
            "id": .string(record.id.description), "kind": .string(record.kind),
            "fields": .object(values.map { JSONValue.Member(name: $0.key, value: .string($0.value)) }),
            "sides": .object(sides),
        ])
    }

    /// Copies a picture. Its name has the ID of the record: values may identify a person.
    ///
    /// - Returns: The name for the file of the records; `nil` if the picture is not on this machine. A text has the hash.
    private mutating func copy(
        _ blob: RecordBlob, _ record: Record, _ side: String, _ suffix: String = ""
    ) throws(CaptureError) -> String? {
        guard !path.isEmpty else { return blob.sha256 }
        guard let source = store.blobPath(blob.sha256) else {
            report.missing.append(Missing(id: record.id, side: side))
            return nil
        }
        // A backend may have given a side any name.
        let isName = RecordKind.isID(side)
        let name = "\(record.id)-\(isName ? side : String(blob.sha256.prefix(16)))\(suffix).jpg"
        let bytes = try RegularFile.read(source, most: RecordBlobFolder.mostBytes + 1)
        try files.place(bytes, at: folder + "/" + name)
        report.pictureCount += 1
        return folderName + "/" + name
    }
}
