// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import RecordKit
import TerminalKit

extension RecordsCommand {
    /// Writes records to a file.
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all records of a kind to a file, and their pictures to a folder beside it.",
            discussion: """
                The ending of the name is the format: .csv for spreadsheets, .jsonl for one JSON object a line. The \
                pictures are in a folder with the name of the file, and the file has their names. A value that a \
                spreadsheet would take for a formula gets an apostrophe before it, which import removes.

                Examples:
                  gst-capture records export loyalty-card cards.csv
                  gst-capture records export post posts.jsonl
                """)

        @Argument(help: "The kind.")
        var kind: String

        @Argument(help: "The file, .csv or .jsonl.", completion: .file(extensions: ["csv", "jsonl"]))
        var file: String

        @Flag(help: "Replace files.")
        var overwrite = false

        @OptionGroup var records: RecordOptions

        func run() throws {
            let store = try records.openToRead()
            guard let store else { throw CaptureError(.noInput, "there are no records yet", subject: kind.quoted) }
            var export = RecordExport(file, of: try store.known(kind), from: store, overwrites: overwrite)
            let report = try export.run()
            for missing in report.missing {
                Console().warn("\(missing.id): the picture of \(missing.side) is not on this machine")
            }
            Console().report(
                "\(Wording.count(report.count, "record")), \(Wording.count(report.pictureCount, "picture"))")
            if !report.missing.isEmpty { throw ExitCode(CaptureError.Code.inputOutput.exitStatus) }
        }
    }

    /// Reads records from a file.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read records of a kind from a CSV or JSON Lines file.",
            discussion: """
                The first line of CSV names its columns: id, fields, and sides with the names of pictures beside the file. \
                A line changes the record with the same ID or the same key, or creates one. A column that is missing \
                changes nothing; an empty value removes one. If a line has a mistake, nothing is imported.

                Examples:
                  gst-capture records import loyalty-card cards.csv --dry-run
                  gst-capture records import loyalty-card cards.csv --partial
                """)

        @Argument(help: "The kind.")
        var kind: String

        @Argument(help: "The file, .csv or .jsonl.", completion: .file(extensions: ["csv", "jsonl"]))
        var file: String

        @Flag(help: "Import the lines without mistakes, even if others have some.")
        var partial = false

        @Flag(help: "Import nothing, and print the mistakes.")
        var dryRun = false

        @OptionGroup var records: RecordOptions

        func run() throws {
            let status = try records.change { store throws -> Int32 in
                var importer = RecordImport(file, into: store, kind: try store.known(kind))
                let report = try importer.run(isPartial: partial, isTrial: dryRun)
                for fault in report.faults { Console().report(fault.error(file)) }
                Console().report(Self.summary(report))
                return report.faults.isEmpty ? 0 : ExitCode.invalidRecord.rawValue
            }
            if status != 0 { throw ExitCode(status) }
        }

        private static func summary(_ report: RecordImport.Report) -> String {
            let counts = "\(report.created) new, \(report.changed) changed, \(report.unchanged) unchanged"
            if report.isStored { return counts }
            return report.faults.isEmpty
                ? "dry run: \(counts)"
                : "nothing was imported: \(Wording.count(report.faults.count, "mistake")); --partial imports the other lines"
        }
    }
}

extension RecordStore {
    /// Returns the kind of a name.
    ///
    /// - Throws: `CaptureError` with the mistakes in its file, or the nearest name.
    func known(_ name: String) throws(CaptureError) -> RecordKind {
        if let kind = kind(name) { return kind }
        return try RecordKindLibrary().file(name).kind
    }
}
