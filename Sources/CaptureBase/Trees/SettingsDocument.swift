// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The keys and values of a preset or session file, without their meaning, and the mistakes in its YAML.
///
/// A YAML parser stops at the first mistake. To report all mistakes at once, a file that is not valid YAML is read
/// again key by key: each line that begins in the first column begins a separate document.
package struct SettingsDocument {
    /// A key and its value.
    package struct Entry {
        package let key: SourcedText
        package let value: YAMLNode
    }

    /// The entries that could be read, in the order of the file.
    package private(set) var entries: [Entry] = []
    /// The mistakes in the file.
    package private(set) var problems: [InvalidValue] = []
    /// The line in which each key first appears.
    private var lines: [String: Int] = [:]
    private let levels: Int

    /// The maximum number of mistakes to report; more are no help.
    private static let mostProblems = 20

    /// Reads a file.
    ///
    /// - Parameter levels: The maximum nesting depth of its values.
    package init(_ text: String, levels: Int = YAMLParser.settingLevels) {
        self.levels = levels
        do throws(InvalidValue) {
            try append(YAMLText(text, line: 1))
        } catch {
            (entries, problems, lines) = ([], [], [:])
            recover(text)
            if problems.isEmpty { (entries, problems) = ([], [error]) }
        }
    }

    private mutating func recover(_ text: String) {
        for part in YAMLText.parts(of: text) where problems.count < Self.mostProblems {
            do throws(InvalidValue) { try append(part) } catch { problems.append(error) }
        }
    }

    private mutating func append(_ yaml: YAMLText) throws(InvalidValue) {
        guard let root = try yaml.root(levels: levels) else { return }
        guard case .mapping(let pairs, _) = root else {
            let found = root.text?.quoted ?? "a list"
            throw InvalidValue("\(found) is not a setting", advice: "write key: value", at: root.place)
        }
        for pair in pairs where problems.count < Self.mostProblems {
            do throws(InvalidValue) { try append(pair) } catch { problems.append(error) }
        }
    }

    private mutating func append(_ pair: YAMLNode.Pair) throws(InvalidValue) {
        guard case .scalar(let key) = pair.key else {
            throw InvalidValue("a list cannot be a key", advice: "write key: value", at: pair.key.place)
        }
        if let line = lines[key.text] { throw .twice(key.text, first: line, at: key.place) }
        lines[key.text] = key.place?.line
        entries.append(Entry(key: key, value: pair.value))
    }
}

extension InvalidValue {
    package static func twice(_ key: String, first line: Int, at place: TextPlace?) -> InvalidValue {
        InvalidValue("\(key.quoted) appears twice, first in line \(line)", advice: "remove one", at: place)
    }
}
