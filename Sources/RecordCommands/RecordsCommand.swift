// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import RecordKit
import TerminalKit

/// `gst-capture records`.
package struct RecordsCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Keep named things with fields and pictures: cards, posts, and your own kinds.",
        discussion: """
            A record is of a kind, such as loyalty-card or post. The kind is a file that names its fields and the sides \
            that have pictures: records of the folder records beside your presets. Each change is kept, so that it can be \
            undone.

            Examples:
              gst-capture records kinds
              gst-capture records create post caption='First snow' --side picture=garden.jpg
              gst-capture records list post
              gst-capture records set loyalty-card/4006381333931 name=Bob
              gst-capture records side 3f2a --remove back
              gst-capture records history 3f2a
              gst-capture records export loyalty-card cards.csv
              gst-capture records import loyalty-card cards.csv

            A record is named by its ID, by the beginning of its ID, or by its kind and its key: loyalty-card/123.

            Exit status: 0 done; 64 usage; 65 a record or a file has values that are not valid; 66 no such record, kind or \
            file; 73 a file cannot be created; 74 input or output failed; 75 another program changes the records; 78 the \
            file of a kind has a mistake.
            """,
        subcommands: [
            Kinds.self, List.self, Show.self, Create.self, Change.self, Side.self, Delete.self, Restore.self,
            History.self, Export.self, Import.self, Sync.self, Conflicts.self, Resolve.self,
        ])

    package init() {}
}

/// Which records a command uses.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The state folder (default: $STATE_DIRECTORY, or gst-capture in $XDG_STATE_HOME or ~/.local/state).",
            valueName: "folder"), completion: .directory)
    var state: String?

    /// Opens the records for changes, and creates their folder if it is missing.
    func open() throws(CaptureError) -> RecordStore {
        try RecordStore(folder: try RecordStore.folder(in: state), kinds: kinds(), .create)
    }

    /// Opens the records for reading; `nil` if there are none yet.
    func openToRead() throws(CaptureError) -> RecordStore? {
        let folder = try RecordStore.folder(in: state)
        return RecordStore.exists(in: folder) ? try RecordStore(folder: folder, kinds: kinds(), .read) : nil
    }

    private func kinds() -> [RecordKind] { RecordKindLibrary().kinds }

    /// Changes the records, prints the reasons of a refusal, and does the daily work of the store.
    func change<Success>(
        _ body: (RecordStore) throws -> Success
    ) throws -> Success {
        let store = try open()
        do {
            let result = try body(store)
            care(for: store)
            return result
        } catch let refusal as RecordRefusal {
            throw try Self.status(refusal)
        }
    }

    /// Does the daily work. The change is made: a failure is reported, and the command succeeds.
    private func care(for store: RecordStore) {
        do throws(CaptureError) {
            guard let care = try store.careDaily(), care.expired > 0 else { return }
            let count = Wording.count(care.expired, "record")
            Console().report("\(count) moved into the trash, as the time of their kind is over")
        } catch {
            Console().report(error)
        }
    }

    /// Prints the reasons of a refusal, one a line, and returns the exit status.
    private static func status(_ refusal: RecordRefusal) throws -> ExitCode {
        switch refusal {
        case .faults(let faults):
            for fault in faults { Console().report(CaptureError(fault)) }
            return ExitCode.invalidRecord
        case .changed(let record):
            throw CaptureError(
                .temporary, "was changed by another program meanwhile", subject: record.id.description,
                advice: "try it again")
        case .missing:
            throw CaptureError(
                .noInput, "there is no such record or version, or it is in the trash",
                advice: "list the trash with gst-capture records list --trash")
        case .other(let error): throw error
        }
    }
}

extension ExitCode {
    /// A record, or a file with records, has values that are not valid (EX_DATAERR).
    static let invalidRecord = ExitCode(65)
}

extension CaptureError {
    /// The fault as an error of a person's input.
    init(_ fault: RecordFault) {
        self.init(.inputOutput, fault.problem, subject: fault.part?.name, advice: fault.advice)
    }
}

/// The names of records on a command line.
extension RecordStore {
    /// The most IDs that a message lists.
    private static let mostListed = 5

    /// Returns the record that a person names by its ID, the beginning of its ID, or its kind and its key.
    ///
    /// - Parameter isTrashed: `true` to look for a key in the trash; `false` for records that are not there.
    func find(_ text: String, isTrashed: Bool = false) throws(CaptureError) -> Record {
        let found = try identifiers(text, isTrashed: isTrashed)
        guard let id = found.first, let record = try record(id) else {
            throw CaptureError(
                .noInput, "there is no such record", subject: text.quoted,
                advice: "give its ID, the beginning of its ID, or its kind and key: loyalty-card/123")
        }
        guard found.count == 1 else {
            let listed = found.prefix(Self.mostListed - 1).map(\.description).joined(separator: ", ")
            throw CaptureError(
                .usage, "several records have this name: \(listed)" + (found.count == Self.mostListed ? ", …" : ""),
                subject: text.quoted, advice: "give more of the ID")
        }
        return record
    }

    private func identifiers(_ text: String, isTrashed: Bool) throws(CaptureError) -> [RecordID] {
        if let slash = text.firstIndex(of: "/") {
            return try identifiers(
                of: String(text[..<slash]), key: String(text[text.index(after: slash)...]), isTrashed: isTrashed,
                most: Self.mostListed)
        }
        let text = text.lowercased()
        if let id = RecordID(text) { return [id] }
        let isStart = !text.isEmpty && text.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) }
        return isStart ? try identifiers(beginning: text, most: Self.mostListed) : []
    }
}
