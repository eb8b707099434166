// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The keys of a section, each known and once.
struct TargetKeys {
    typealias Entry = (key: SourcedText, value: YAMLNode)

    private let owner: SourcedText
    private let entries: [String: Entry]

    /// - Parameter known: The keys that the section can have.
    init(_ node: YAMLNode, of owner: SourcedText, known: [String]) throws(InvalidValue) {
        var entries: [String: Entry] = [:]
        for entry in try SectionKeys(node, of: owner).entries {
            guard known.contains(entry.key.text) else {
                throw InvalidValue.unknownKey(entry.key.text, among: known).at(entry.key.place)
            }
            entries[entry.key.text] = entry
        }
        (self.owner, self.entries) = (owner, entries)
    }

    var names: Set<String> { Set(entries.keys) }

    func entry(_ name: String) -> Entry? { entries[name] }

    func required(_ name: String, _ advice: String) throws(InvalidValue) -> Entry {
        guard let entry = entries[name] else {
            throw InvalidValue("\(owner.text): lacks \(name)", advice: advice, at: owner.place)
        }
        return entry
    }

    /// Returns the value of a key; `nil` without it.
    func value<Value>(_ name: String, _ syntax: SettingSyntax<Value>) throws(InvalidValue) -> Value? {
        guard let entry = entries[name] else { return nil }
        return try value(entry, syntax)
    }

    func value<Value>(_ entry: Entry, _ syntax: SettingSyntax<Value>) throws(InvalidValue) -> Value {
        let input = try entry.value.input
        do throws(InvalidValue) {
            return try syntax.parse(input)
        } catch {
            throw InvalidValue(
                "\(entry.key.text): \(error.message)", advice: error.advice,
                at: error.place ?? input.place ?? entry.key.place)
        }
    }

    func text(_ name: String) throws(InvalidValue) -> String? { try value(name, .text(name)) }

    /// Returns an absolute path.
    func path(_ entry: Entry) throws(InvalidValue) -> String {
        let path = try value(entry, .text("path"))
        guard path.hasPrefix("/") else {
            throw InvalidValue(
                "\(entry.key.text): \(path.quoted) is not absolute", advice: "begin it with /",
                at: entry.value.place ?? entry.key.place)
        }
        return path
    }

    func path(_ name: String) throws(InvalidValue) -> String? {
        guard let entry = entries[name] else { return nil }
        return try path(entry)
    }

    /// Returns the place of a secret: `NAME-file`, `NAME-variable` or `NAME-credential`.
    func secret(_ name: String) throws(InvalidValue) -> SecretSource? {
        let given = Self.secretKeys(name).filter { entries[$0] != nil }
        guard given.count < 2 else {
            throw InvalidValue(
                "\(given[0]) and \(given[1]) are given", advice: "give one of them", at: entries[given[1]]?.key.place)
        }
        if let file = try path(name + "-file") { return .file(file) }
        if let variable = try text(name + "-variable") { return .variable(variable) }
        guard let credential = try text(name + "-credential") else { return nil }
        guard credential.utf8.allSatisfy({ $0.isWordCharacter || $0 == UInt8(ascii: ".") }),
            !credential.hasPrefix(".")
        else {
            throw InvalidValue(
                "\(name)-credential: \(credential.quoted) is not the name of a credential",
                advice: "give that of LoadCredential=", at: entries[name + "-credential"]?.value.place)
        }
        return .credential(credential)
    }

    static func secretKeys(_ name: String) -> [String] { ["-file", "-variable", "-credential"].map { name + $0 } }
}
