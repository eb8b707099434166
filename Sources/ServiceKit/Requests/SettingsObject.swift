// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// Reads a JSON object with IDs and settings of a preset. JSON is nearly YAML, so the parser of presets reads it.
struct SettingsObject {
    /// The IDs by their names; all of them are required.
    private(set) var ids: [String: String] = [:]
    /// All members with their values.
    private(set) var members: [JSONValue.Member] = []
    private var section: SettingsSection
    private var problems: [InvalidValue] = []
    private let keys: [String]
    private let names: [String]

    /// The maximum size of a text, in bytes.
    static let mostBytes = 16 << 10
    /// An object, its lists or objects, and their entries.
    private static let levels = 3

    /// The settings that were read.
    var settings: CaptureSettings { section.settings }

    /// Reads an object.
    ///
    /// - Parameters:
    ///   - file: The name of the text in errors.
    ///   - names: The members that are IDs.
    ///   - keys: The settings that are allowed.
    /// - Throws: `CaptureError` `.usage` with a line for each mistake.
    init(_ bytes: [UInt8], file: String, ids names: [String], keys: [String]) throws(CaptureError) {
        (self.names, self.keys) = (names, keys)
        section = SettingsSection(file: file, otherKeys: names)
        do throws(InvalidValue) { try read(bytes) } catch { problems += error.all }
        if let error = CaptureError.joining(InvalidValue.errors(problems, in: file)) {
            throw CaptureError(.usage, error.message, subject: error.subject, advice: error.advice)
        }
    }

    private mutating func read(_ bytes: [UInt8]) throws(InvalidValue) {
        guard bytes.count <= Self.mostBytes else { throw InvalidValue("is too long") }
        let document = SettingsDocument(try SettingsText(bytes, of: "settings").text.jsonAsYAML, levels: Self.levels)
        problems += document.problems
        for entry in document.entries {
            do throws(InvalidValue) { try read(entry.key, entry.value) } catch { problems += error.all }
        }
        if problems.isEmpty { try section.check() }
        for name in names where ids[name] == nil && problems.isEmpty {
            throw InvalidValue("\(name): is missing", advice: "give the \(name)")
        }
    }

    private mutating func read(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        if names.contains(key.text) {
            guard case .scalar(let text) = value, text.isQuoted, ServiceID.isValid(text.text) else {
                throw InvalidValue("\(key.text): is not an ID", advice: ServiceID.advice, at: value.place ?? key.place)
            }
            ids[key.text] = text.text
        } else {
            guard keys.contains(key.text) else {
                throw InvalidValue.unknownKey(key.text, among: names + keys).at(key.place)
            }
            try section.read(key, try value.input)
        }
        members.append(JSONValue.Member(name: key.text, value: try value.json))
    }
}

extension YAMLNode {
    /// A text, a list of texts, or an object of texts.
    fileprivate var json: JSONValue {
        get throws(InvalidValue) {
            switch self {
            case .scalar(let sourced): return .string(sourced.text)
            case .sequence(let nodes, _):
                return .array(try nodes.map { node throws(InvalidValue) in try node.json })
            case .mapping(let pairs, _):
                return .object(
                    try pairs.map { pair throws(InvalidValue) in
                        JSONValue.Member(name: pair.key.text ?? "", value: try pair.value.json)
                    })
            case .deeper: throw InvalidValue("is not a single value", at: place)
            }
        }
    }
}
