// Part of gst-capture. Apache License 2.0, see LICENSE.

import Yams

/// The keys and values of a preset's file, whatever they mean, and what is wrong with it as YAML.
///
/// YAML's rules stop at the first mistake. So that a user learns of all of them at once, a file that is not good YAML
/// is read again key by key: each line that begins in the first column begins a document of its own.
struct PresetDocument {
    /// A key and its value.
    struct Entry {
        let key: Written
        let input: SettingInput
    }

    /// What could be read, in the order of the file.
    private(set) var entries: [Entry] = []
    /// What could not.
    private(set) var problems: [InvalidValue] = []

    /// More problems are no help.
    private static let mostProblems = 20

    /// Reads a file.
    init(_ text: String) {
        do throws(InvalidValue) {
            try append(YAMLText(text, line: 1))
        } catch {
            entries = []
            problems = []
            recover(text)
            if problems.isEmpty { (entries, problems) = ([], [error]) }
        }
    }

    private mutating func recover(_ text: String) {
        var lines: [String: Int] = [:]
        for part in YAMLText.parts(of: text) where problems.count < Self.mostProblems {
            let known = entries.count
            do throws(InvalidValue) {
                try append(part)
            } catch {
                problems.append(error)
            }
            let added = entries[known...]
            entries.removeLast(added.count)
            for entry in added {
                if let line = lines[entry.key.text] {
                    problems.append(.twice(entry.key.text, first: line, at: entry.key.place))
                } else {
                    lines[entry.key.text] = entry.key.place?.line
                    entries.append(entry)
                }
            }
        }
    }

    private mutating func append(_ yaml: YAMLText) throws(InvalidValue) {
        guard let root = try yaml.root() else { return }
        guard case .mapping(let mapping) = root else {
            let found = root.string?.quoted ?? "a list"
            throw InvalidValue("\(found) is no setting", advice: "write key: value", at: yaml.place(root))
        }
        for (key, node) in mapping {
            guard let text = key.string else {
                problems.append(InvalidValue("a list cannot be a key", advice: "write key: value", at: yaml.place(key)))
                continue
            }
            do throws(InvalidValue) {
                let key = Written(text: text, place: yaml.place(key))
                entries.append(Entry(key: key, input: try yaml.input(node)))
            } catch {
                problems.append(error)
            }
        }
    }
}

extension InvalidValue {
    static func twice(_ key: String, first line: Int, at place: TextPlace?) -> InvalidValue {
        InvalidValue("\(key.quoted) is here twice, first in line \(line)", advice: "remove one", at: place)
    }
}
