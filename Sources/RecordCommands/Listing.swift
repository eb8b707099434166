// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import RecordKit
import TerminalKit

extension RecordsCommand {
    /// Lists the kinds.
    struct Kinds: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the kinds of records, or check files of kinds.")

        @Argument(
            help: ArgumentHelp("Files of kinds to check; none for a list.", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"]))
        var files: [String] = []

        @Flag(help: "One JSON object a line.")
        var json = false

        @OptionGroup var records: RecordOptions

        func run() throws {
            guard files.isEmpty else { return try check() }
            let counts = try records.openToRead()?.counts() ?? [:]
            var status: Int32 = 0
            for entry in RecordKindLibrary().entries {
                do throws(CaptureError) {
                    let kind = try entry.file.get().kind
                    let text = json ? Self.json(kind, entry.path, counts) : Self.line(kind, entry.path, counts)
                    StandardStream.output.line(text)
                } catch {
                    Console().report(error)
                    status = error.code.exitStatus
                }
            }
            if status != 0 { throw ExitCode(status) }
        }

        private func check() throws {
            var failure: CaptureError?
            for file in files {
                do throws(CaptureError) {
                    let kind = try RecordKindFile(path: file.contains("/") ? file : "./" + file).kind
                    if !json { Console().report("\(file.withoutControls): \(kind.title.withoutControls): no mistakes") }
                } catch {
                    Console().report(error)
                    failure = failure ?? error
                }
            }
            if let failure { throw ExitCode(failure.code.exitStatus) }
        }

        private static func line(_ kind: RecordKind, _ path: String, _ counts: [String: Int]) -> String {
            let parts = [kind.id, kind.title, Wording.count(counts[kind.id] ?? 0, "record"), path]
            return parts.map(\.withoutControls).joined(separator: "  ")
        }

        private static func json(_ kind: RecordKind, _ path: String, _ counts: [String: Int]) -> String {
            guard case .object(let members) = kind.json else { return "" }
            let more = [
                JSONValue.Member(name: "records", value: .integer(counts[kind.id] ?? 0)),
                JSONValue.Member(name: "path", value: .string(path)),
            ]
            return JSONValue.object(members + more).text
        }
    }

    /// Lists records.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List records, the one that changed last first.")

        @Argument(help: "A kind; none for all kinds.")
        var kind: String?

        @Option(
            help: ArgumentHelp(
                "Only records with these words in their values, personal ones too.", valueName: "words"))
        var search: String?

        @Flag(help: "List the records in the trash.")
        var trash = false

        @Option(help: ArgumentHelp("The maximum number; 0 for all.", valueName: "count"))
        var limit = 60

        @Flag(help: "One JSON object a line.")
        var json = false

        @Flag(name: [.customShort("q"), .long], help: "Only the IDs, one a line, for other commands.")
        var quiet = false

        @OptionGroup var records: RecordOptions

        func validate() throws {
            if json, quiet { throw ValidationError("--json and --quiet: one is enough") }
            if limit < 0 { throw ValidationError("--limit is 0 or more") }
        }

        func run() throws {
            guard let store = try records.openToRead() else { return }
            var query = RecordQuery(kind: kind)
            (query.words, query.isTrashed, query.mayReadPersonal) = (search ?? "", trash, true)
            var left = limit == 0 ? Int.max : limit
            repeat {
                query.limit = min(left, 1000)
                let page = try store.page(query)
                for record in page.records {
                    StandardStream.output.line(text(record, store))
                    if StandardStream.isBroken { return }
                }
                left -= page.records.count
                query.before = page.next
            } while query.before != nil && left > 0
        }

        private func text(_ record: Record, _ store: RecordStore) -> String {
            if quiet { return record.id.description }
            if json { return record.json(store).text }
            return RecordLine.text(record, store.kind(record.kind))
        }
    }

    /// Prints a record.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a record with its values and the files of its pictures.")

        @Argument(help: "The ID of the record, or KIND/KEY.")
        var id: String

        @Flag(help: "As a JSON object.")
        var json = false

        @OptionGroup var records: RecordOptions

        func run() throws {
            let store = try records.openToRead()
            guard let store else { throw CaptureError(.noInput, "there are no records yet", subject: id.quoted) }
            let record = try store.find(id)
            guard !json else {
                _ = StandardStream.output.line(record.json(store).text)
                return
            }
            for line in RecordLine.details(record, store) { StandardStream.output.line(line) }
        }
    }

    /// Prints the versions of a record.
    struct History: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the versions of a record, the newest first, with what each changed.")

        @Argument(help: "The ID of the record, or KIND/KEY.")
        var id: String

        @Flag(help: "One JSON object a line.")
        var json = false

        @OptionGroup var records: RecordOptions

        func run() throws {
            let store = try records.openToRead()
            guard let store else { throw CaptureError(.noInput, "there are no records yet", subject: id.quoted) }
            let versions = try store.versions(try store.find(id).id)
            for (index, version) in versions.enumerated() {
                let earlier = versions.indices.contains(index + 1) ? versions[index + 1] : nil
                StandardStream.output.line(json ? version.json.text : RecordLine.text(version, after: earlier))
            }
        }
    }
}

extension Record {
    /// The record as an object for programs of this machine, with the paths of its pictures.
    func json(_ store: RecordStore) -> JSONValue {
        let paths = content.sides.sorted { $0.key < $1.key }.map { name, picture in
            JSONValue.Member(name: name, value: .optional(store.blobPath(picture.file.sha256)))
        }
        return .object(members + [JSONValue.Member(name: "paths", value: .object(paths))])
    }
}

/// Records as lines for people.
enum RecordLine {
    /// The characters of an ID that lists show: they are enough to name a record among millions.
    private static let shortID = 13
    /// The longest value that a list shows, in characters.
    private static let longest = 40

    /// Returns a record as a line of a list.
    static func text(_ record: Record, _ kind: RecordKind?) -> String {
        let names = kind?.fields.map(\.name) ?? record.content.values.keys.sorted()
        let values = names.compactMap { record.content.values[$0] }.prefix(3).map(shortened)
        let sides = record.content.sides.keys.sorted().joined(separator: ",")
        let parts =
            [String(record.id.description.prefix(shortID)), moment(record.changed), record.kind] + values
            + (sides.isEmpty ? [] : ["[\(sides)]"])
        return parts.map(\.withoutControls).joined(separator: "  ")
    }

    private static func shortened(_ text: String) -> String {
        let line = text.withoutControls
        return line.count > longest ? line.prefix(longest - 1) + "…" : line
    }

    /// Returns a record as lines with its values and pictures.
    static func details(_ record: Record, _ store: RecordStore) -> [String] {
        let kind = store.kind(record.kind)
        let state = record.isTrashed ? ", in the trash" : ""
        let actor = record.actor.map { " by \($0)" } ?? ""
        var rows = [
            ("id", record.id.description), ("kind", record.kind),
            ("version", "\(record.revision), \(moment(record.changed))\(actor)\(state)"),
        ]
        let fields = kind?.fields.map(\.name) ?? []
        let others = record.content.values.keys.filter { !fields.contains($0) }.sorted()
        for name in fields + others {
            guard let value = record.content.values[name] else { continue }
            rows.append((name, value.replacing("\n", with: " / ")))
        }
        for (name, picture) in record.content.sides.sorted(by: { $0.key < $1.key }) {
            let path = store.blobPath(picture.file.sha256) ?? "not on this machine"
            rows.append((name, "\(picture.file.width)x\(picture.file.height)  \(path)"))
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in
            (name + String(repeating: " ", count: width - name.count) + "  " + text).withoutControls
        }
    }

    /// Returns a version with the parts that differ from the one before.
    static func text(_ version: RecordVersion, after earlier: RecordVersion?) -> String {
        var changes: [String] = []
        if let earlier {
            if version.isTrashed != earlier.isTrashed { changes.append(version.isTrashed ? "deleted" : "restored") }
            let parts = version.content.parts.union(earlier.content.parts).sorted()
            changes += parts.filter { version.content[$0] != earlier.content[$0] }.map(\.name)
        } else if version.revision == 1 {
            changes.append("created")
        }
        let cells = [
            "\(version.revision)", moment(version.changed), version.actor ?? "", changes.joined(separator: ", "),
        ]
        return cells.filter { !$0.isEmpty }.map(\.withoutControls).joined(separator: "  ")
    }

    private static func moment(_ time: WallTime) -> String { String(time.iso8601.prefix(19)).replacing("T", with: " ") }
}
