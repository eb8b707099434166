// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit
import RecordKit

/// The records of a service: their kinds, and their folder. Changes need a restart.
public struct ServiceRecords: Sendable, Equatable {
    /// The kinds, in the order of the file.
    public var kinds: [RecordKind]
    /// The absolute path of the folder; `nil` for that of the command: `records` in the state folder.
    public var folder: String?

    /// Creates the records of these kinds in the folder of the command.
    public init(kinds: [RecordKind]) { self.kinds = kinds }

    /// Returns the folder of the store.
    ///
    /// - Parameter state: The state folder; `nil` for none.
    /// - Throws: `CaptureError` `.configuration` if there is no folder.
    package func folder(in state: String?) throws(CaptureError) -> String {
        if let folder { return folder }
        return try RecordStore.folder(in: state)
    }
}

extension ServiceRecords {
    private static let keys = ["kinds", "folder"]
    /// Names that the API uses itself.
    private static let reserved: Set = ["blobs"]

    /// Reads `records: [loyalty-card, post]`, or the section `records` with the keys `kinds` and `folder`. Blocks.
    ///
    /// - Parameter library: Finds the kinds by their names.
    init(_ key: SourcedText, _ value: YAMLNode, _ library: RecordKindLibrary) throws(InvalidValue) {
        kinds = []
        guard case .mapping = value else {
            kinds = try Self.kinds(key, value, library)
            return
        }
        for (name, node) in try SectionKeys(value, of: key).entries {
            switch name.text {
            case "kinds": kinds = try Self.kinds(name, node, library)
            case "folder":
                guard let path = node.text, path.hasPrefix("/"), !path.utf8.contains(0) else {
                    throw InvalidValue(
                        "folder: is not an absolute path", advice: "begin it with /", at: node.place ?? name.place)
                }
                folder = path
            default: throw InvalidValue.unknownKey(name.text, among: Self.keys).at(name.place)
            }
        }
        guard !kinds.isEmpty else {
            throw InvalidValue(
                "records: names no kind", advice: "write kinds: [loyalty-card]", at: value.place ?? key.place)
        }
    }

    private static func kinds(
        _ key: SourcedText, _ node: YAMLNode, _ library: RecordKindLibrary
    ) throws(InvalidValue) -> [RecordKind] {
        let input = try node.input
        let kinds = try SettingsSection.naming(key, input) { () throws(InvalidValue) in
            try InvalidValue.collecting(input.entries) { input throws(InvalidValue) in
                do throws(InvalidValue) {
                    return [try kind(try SettingSyntax.text("name").parse(input), library)]
                } catch {
                    throw error.at(input.place)
                }
            }
        }
        guard !kinds.isEmpty, Set(kinds.map(\.id)).count == kinds.count else {
            let message = kinds.isEmpty ? "names no kind" : "names a kind twice"
            throw InvalidValue("\(key.text): \(message)", advice: "give each kind once", at: node.place ?? key.place)
        }
        return kinds
    }

    private static func kind(_ name: String, _ library: RecordKindLibrary) throws(InvalidValue) -> RecordKind {
        let kind: RecordKind
        do throws(CaptureError) {
            kind = try library.file(name).kind
        } catch {
            let line = error.summary.split(separator: "\n").first.map(String.init) ?? error.summary
            throw InvalidValue(line, advice: error.advice ?? "gst-capture records kinds lists all mistakes")
        }
        guard !reserved.contains(kind.id) else {
            throw InvalidValue("\(kind.id.quoted) is a name of the API", advice: "give the file another name")
        }
        return kind
    }
}
