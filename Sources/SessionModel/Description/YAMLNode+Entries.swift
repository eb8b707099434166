// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

// Lists and mappings in the files of sessions and of kinds of records.

extension YAMLNode {
    /// The most entries of a list or mapping.
    package static let mostEntries = 64

    /// The entries of a list, or this node alone.
    package var entries: [YAMLNode] {
        if case .sequence(let nodes, _) = self { nodes } else { [self] }
    }

    /// Reads the entries of a list; throws the mistakes of all entries at once.
    ///
    /// - Parameter key: The name of the list in errors.
    package func list<Entry>(
        _ key: String, most: Int = mostEntries, _ read: (YAMLNode) throws(InvalidValue) -> Entry
    ) throws(InvalidValue) -> [Entry] {
        guard case .sequence(let nodes, let place) = self else {
            throw InvalidValue("\(key): is a list", advice: "begin each entry with a dash", at: place)
        }
        guard nodes.count <= most else { throw InvalidValue("\(key): has more than \(most) entries", at: place) }
        return try InvalidValue.collecting(nodes) { node throws(InvalidValue) in
            do throws(InvalidValue) { return [try read(node)] } catch { throw error.at(node.place) }
        }
    }

    /// Checks that no two entries of this list share a name: files and reports identify them by name.
    package func checkNames(_ all: [String], of key: String) throws(InvalidValue) {
        var names: Set<String> = []
        for (name, entry) in zip(all, entries) where !names.insert(name).inserted {
            throw InvalidValue("two \(key) are called \(name.quoted)", advice: "rename one", at: entry.place)
        }
    }

    /// Reads a list of texts.
    ///
    /// - Parameter most: The longest text, in bytes.
    package func texts(_ key: String, most: Int) throws(InvalidValue) -> [String] {
        guard entries.count <= Self.mostEntries else {
            throw InvalidValue("\(key): has more than \(Self.mostEntries) entries", at: place)
        }
        return try InvalidValue.collecting(entries) { entry throws(InvalidValue) in
            [try SettingSyntax<String>.text("text", most: most).parse(try entry.input)]
        }
    }

    /// Reads a mapping whose keys are names.
    package func mapping<Value>(
        _ key: String, _ read: (YAMLNode) throws(InvalidValue) -> Value
    ) throws(InvalidValue) -> [String: Value] {
        guard case .mapping(let nodes, let place) = self else {
            throw InvalidValue("\(key): is a mapping", advice: "write name: value, one a line", at: place)
        }
        guard nodes.count <= Self.mostEntries else {
            throw InvalidValue("\(key): has more than \(Self.mostEntries) entries", at: place)
        }
        var values: [String: Value] = [:]
        for (name, value) in try SessionField<Void>.pairs(nodes) { values[name.text] = try read(value) }
        return values
    }

    /// Reads a mapping whose keys are languages, as BCP 47 tags.
    package func languages<Words>(
        _ read: (YAMLNode) throws(InvalidValue) -> Words
    ) throws(InvalidValue) -> [String: Words] {
        var checked: [String: Words] = [:]
        for (tag, words) in try mapping("languages", read) {
            checked[try SettingSyntax<String>.languageTag.parse(.text(SourcedText(text: tag, place: place)))] = words
        }
        return checked
    }
}
