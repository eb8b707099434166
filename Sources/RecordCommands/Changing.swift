// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import RecordKit
import TerminalKit

/// A name with a value on the command line: `name=Ann`.
struct NamedText: ExpressibleByArgument {
    let name: String
    let text: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
        (name, text) = (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }
}

extension [NamedText] {
    /// The texts by their names.
    ///
    /// - Throws: `CaptureError` `.usage` if a name occurs twice.
    fileprivate func texts() throws(CaptureError) -> [String: String] {
        var texts: [String: String] = [:]
        for entry in self {
            guard texts.updateValue(entry.text, forKey: entry.name) == nil else {
                throw CaptureError(.usage, "is given twice", subject: entry.name.withoutControls)
            }
        }
        return texts
    }

    /// Stores the files as pictures.
    fileprivate func pictures(in store: RecordStore) throws(CaptureError) -> [String: RecordPicture] {
        var pictures: [String: RecordPicture] = [:]
        for (name, path) in try texts().sorted(by: { $0.key < $1.key }) {
            let bytes = try RegularFile.read(path, most: RecordStore.mostBlobBytes + 1)
            do throws(CaptureError) {
                pictures[name] = RecordPicture(try store.addBlob(bytes))
            } catch {
                throw error.about(RegularFile.display(path))
            }
        }
        return pictures
    }
}

extension RecordsCommand {
    /// Creates a record.
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a record, and print its ID.",
            discussion: """
                Examples:
                  gst-capture records create loyalty-card identifier=123 name=Ann --side front=card.jpg
                  gst-capture records create post caption='First snow' --side picture=garden.jpg
                """)

        @Argument(help: "The kind.")
        var kind: String

        @Argument(help: ArgumentHelp("The values of fields.", valueName: "name=value"))
        var values: [NamedText] = []

        @Option(help: ArgumentHelp("The picture of a side, a JPEG.", valueName: "side=file"), completion: .file())
        var side: [NamedText] = []

        @OptionGroup var records: RecordOptions

        func run() throws {
            let record = try records.change { store in
                let kind = try store.known(kind)
                let content = RecordContent(values: try values.texts(), sides: try side.pictures(in: store))
                return try store.create(kind.id, content)
            }
            StandardStream.output.line(record.id.description)
        }
    }

    /// Changes values.
    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change values of a record; an empty value removes one.",
            discussion: """
                Examples:
                  gst-capture records set 3f2a name=Bob
                  gst-capture records set loyalty-card/123 notes=
                """)

        @Argument(help: "The ID of the record, or KIND/KEY.")
        var id: String

        @Argument(help: ArgumentHelp("The values of fields.", valueName: "name=value"))
        var values: [NamedText]

        @OptionGroup var records: RecordOptions

        func run() throws {
            try records.change { store in
                let record = try store.find(id)
                var content = record.content
                content.values.merge(try values.texts()) { _, new in new }
                _ = try store.change(record.id, from: record.revision, to: content)
            }
        }
    }

    /// Changes pictures.
    struct Side: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the pictures of a record's sides, or remove them.",
            discussion: """
                Examples:
                  gst-capture records side 3f2a front=new.jpg
                  gst-capture records side loyalty-card/123 --remove back
                """)

        @Argument(help: "The ID of the record, or KIND/KEY.")
        var id: String

        @Argument(help: ArgumentHelp("The pictures of sides, JPEG files.", valueName: "side=file"), completion: .file())
        var sides: [NamedText] = []

        @Option(help: ArgumentHelp("A side that gets no picture.", valueName: "side"))
        var remove: [String] = []

        @OptionGroup var records: RecordOptions

        func validate() throws {
            if sides.isEmpty, remove.isEmpty { throw ValidationError("give side=file, or --remove side") }
        }

        func run() throws {
            try records.change { store in
                let record = try store.find(id)
                var content = record.content
                for name in remove {
                    guard content.sides.removeValue(forKey: name) != nil else {
                        throw RecordRefusal.faults([RecordFault(.side(name), "has no picture")])
                    }
                }
                content.sides.merge(try sides.pictures(in: store)) { _, new in new }
                _ = try store.change(record.id, from: record.revision, to: content)
            }
        }
    }

    /// Moves records into the trash.
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move records into the trash, from which they can return for 30 days.")

        @Argument(
            help: ArgumentHelp(
                "The IDs of the records, or KIND/KEY; - reads them from standard input.", valueName: "id"))
        var ids: [String]

        @OptionGroup var records: RecordOptions

        func run() throws {
            try records.change { store in
                for text in ids.lines {
                    let record = try store.find(text)
                    _ = try store.trash(record.id, from: record.revision)
                }
            }
        }
    }

    /// Moves records out of the trash.
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move records out of the trash, or give one the content of an earlier version.",
            discussion: """
                Examples:
                  gst-capture records restore 3f2a
                  gst-capture records restore 3f2a --version 2
                """)

        @Argument(
            help: ArgumentHelp(
                "The IDs of the records, or KIND/KEY; - reads them from standard input.", valueName: "id"))
        var ids: [String]

        @Option(help: ArgumentHelp("A version of the history.", valueName: "number"))
        var version: Int?

        @OptionGroup var records: RecordOptions

        func validate() throws {
            if version != nil, ids.count > 1 { throw ValidationError("--version is for one record") }
        }

        func run() throws {
            try records.change { store in
                for text in ids.lines {
                    // A key names the record in the trash, unless `--version` is given.
                    let record = try store.find(text, isTrashed: version == nil)
                    _ = try store.restore(record.id, version: version, from: record.revision)
                }
            }
        }
    }
}

extension [String] {
    /// The arguments; for `-` alone the lines of standard input.
    fileprivate var lines: [String] {
        guard self == ["-"] else { return self }
        var lines: [String] = []
        while let line = readLine() { if !line.isEmpty { lines.append(line) } }
        return lines
    }
}
