// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import RecordKit
import TerminalKit

extension RecordsCommand {
    /// Prints how far the records and the backend are the same, and answers its questions.
    struct Sync: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how far records and their backend are the same, or answer a question about it.",
            discussion: """
                gst-capture outbox send keeps records and a backend the same. If the backend seems to have lost records, it \
                asks first:

                  gst-capture records sync loyalty-card --answer push      # sends the records of this machine again
                  gst-capture records sync loyalty-card --answer accept    # moves them into the trash here, too
                """)

        @Argument(help: "A kind; none for all kinds.")
        var kind: String?

        @Option(help: "The answer to a question about a kind: push or accept.")
        var answer: SyncAnswer?

        @Flag(help: "One JSON object a line.")
        var json = false

        @OptionGroup var records: RecordOptions

        func validate() throws {
            guard answer == nil || kind != nil else { throw ValidationError("--answer needs a kind") }
        }

        func run() throws {
            guard let answer, let kind else { return try list() }
            let store = try records.open()
            guard try store.answer(answer, try store.known(kind).id) else {
                throw CaptureError(.noInput, "there is no question", subject: kind.withoutControls)
            }
        }

        private func list() throws {
            guard let store = try records.openToRead() else { return }
            let kinds = try kind.map { [try store.known($0)] } ?? store.kinds
            for kind in kinds {
                let state = try store.syncState(of: kind.id)
                if json {
                    StandardStream.output.line(state.json.text)
                } else if state.pulled != nil || state.question != nil {
                    StandardStream.output.line("\(kind.id)  \(state.words)".withoutControls)
                }
            }
        }
    }

    /// Lists the records that were changed here and on another device.
    struct Conflicts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the parts of records that were changed here and on another device.",
            discussion: "gst-capture records resolve chooses between the two.")

        @Argument(help: "A kind; none for all kinds.")
        var kind: String?

        @Flag(help: "One JSON object a line.")
        var json = false

        @OptionGroup var records: RecordOptions

        private static let most = 1000

        func run() throws {
            guard let store = try records.openToRead() else { return }
            let kinds = try kind.map { [try store.known($0)] } ?? store.kinds
            for kind in kinds {
                for id in try store.conflicted(kind.id, most: Self.most) {
                    for conflict in try store.conflicts(of: id) {
                        let line = json ? conflict.json(id).text : Self.line(id, kind, conflict)
                        StandardStream.output.line(line)
                    }
                }
            }
        }

        private static func line(_ id: RecordID, _ kind: RecordKind, _ conflict: RecordConflict) -> String {
            let cells = [
                id.description, kind.id, conflict.part?.name ?? "record",
                "mine: \(conflict.text(conflict.mine))", "theirs: \(conflict.text(conflict.theirs))",
            ]
            return cells.map(\.withoutControls).joined(separator: "  ")
        }
    }

    /// Chooses between two changes.
    struct Resolve: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Choose between the change of this machine and that of another device.",
            discussion: """
                Examples:
                  gst-capture records resolve 3f2a name mine
                  gst-capture records resolve 3f2a front theirs
                  gst-capture records resolve 3f2a record theirs   # it was deleted there, and changed here
                """)

        @Argument(help: "The ID of the record, or KIND/KEY.")
        var id: String

        @Argument(help: "A field or a side; record if one device deleted the record.")
        var part: String

        @Argument(help: "mine or theirs.")
        var choice: RecordChoice

        @OptionGroup var records: RecordOptions

        func run() throws {
            try records.change { store in
                let record = try store.find(id)
                let conflicts = try store.conflicts(of: record.id)
                guard let conflict = conflicts.first(where: { ($0.part?.name ?? "record") == part }) else {
                    let names = conflicts.map { $0.part?.name ?? "record" }
                    throw CaptureError(
                        .noInput, "has no conflict in \(part.quoted)", subject: record.id.description,
                        advice: names.isEmpty ? nil : "name one of \(names.joined(separator: ", "))")
                }
                _ = try store.resolve(record.id, conflict.part, choice, from: record.revision, actor: nil)
            }
        }
    }
}

extension SyncAnswer: ExpressibleByArgument {}
extension RecordChoice: ExpressibleByArgument {}

extension SyncState {
    /// The state in words.
    fileprivate var words: String {
        if let question { return "stopped: \(question.text)" }
        let counts = [
            waiting > 0 ? "\(waiting) not sent yet" : nil, conflicts > 0 ? Wording.count(conflicts, "conflict") : nil,
            refused > 0 ? "\(refused) refused" : nil,
        ]
        let words = counts.compactMap { $0 }.joined(separator: ", ")
        return words.isEmpty ? "the same as the backend" : words
    }
}

extension RecordConflict {
    /// The value of a version as text.
    fileprivate func text(_ copy: RecordCopy) -> String {
        guard let content = copy.content else { return copy == .deleted ? "deleted" : "nothing" }
        guard let part else { return "changed" }
        switch content[part] {
        case .text(let text): return text.replacing("\n", with: " / ")
        case .picture(let picture):
            return "\(picture.file.width)x\(picture.file.height) \(picture.file.sha256.prefix(8))"
        case nil: return "nothing"
        }
    }
}
