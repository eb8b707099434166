// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit
import SessionModel

/// Parses a kind of records from the bytes of a file, and collects all mistakes.
struct RecordKindReader {
    private(set) var kind: RecordKind
    private(set) var text = ""
    /// The mistakes, in the order of the file.
    private(set) var errors: [CaptureError] = []

    /// The deepest nesting: a key, its list, a field in it, its source, and its values.
    private static let levels = 5
    /// The most mistakes to report; more are no help.
    private static let mostProblems = 20

    /// Parses the bytes.
    ///
    /// - Parameters:
    ///   - name: The ID of the kind, by the name of its file.
    ///   - file: The name of the file in errors.
    init(_ bytes: [UInt8], name: String, file: String) {
        kind = RecordKind(id: name, title: "")
        var problems: [InvalidValue] = []
        do throws(InvalidValue) {
            text = try SettingsText(bytes, of: "kind").text
            let document = SettingsDocument(text, levels: Self.levels)
            let pairs = document.entries.map { (key: $0.key, value: $0.value) }
            problems = document.problems + SessionField.read(pairs, RecordKind.keys, into: &kind)
            if problems.isEmpty { problems = Self.problems(kind, document) }
        } catch {
            problems.append(error)
        }
        if kind.title.isEmpty { kind.title = name }
        errors = Array(InvalidValue.errors(problems, in: file).prefix(Self.mostProblems))
    }

    /// Returns the mistakes between the keys of a kind.
    private static func problems(_ kind: RecordKind, _ document: SettingsDocument) -> [InvalidValue] {
        let nodes = Dictionary(document.entries.map { ($0.key.text, $0.value) }) { first, _ in first }
        let (fields, sides) = (kind.fields.map(\.name), kind.sides.map(\.name))
        var problems: [InvalidValue] = []
        func add(_ message: String, _ advice: String, _ node: YAMLNode?) {
            problems.append(InvalidValue(message, advice: advice, at: node?.place ?? .start))
        }
        if !RecordKind.isID(kind.id) {
            add("\(kind.id.quoted) is not the name of a kind", "name the file with letters, digits, - and _", nil)
        }
        if fields.isEmpty, sides.isEmpty {
            add("has neither fields nor sides", "write fields: and an entry for each", nil)
        }
        if let key = kind.key, !fields.contains(key) {
            let near = Spelling.nearest(to: key, among: fields).map { "did you mean \($0.quoted)?" }
            add("key: \(key.quoted) is not a field", near ?? "name one of the fields", nodes["key"])
        }
        for (index, side) in kind.sides.enumerated() where fields.contains(side.name) {
            add("a field and a side are called \(side.name.quoted)", "rename one", nodes["sides"]?.entry(index))
        }
        for (index, field) in kind.fields.enumerated() {
            if let side = field.source?.side, !sides.contains(side) {
                let near = Spelling.nearest(to: side, among: sides).map { "did you mean \($0.quoted)?" }
                add(
                    "\(field.name): from: \(side.quoted) is not a side", near ?? "name one of the sides",
                    nodes["fields"]?.entry(index))
            }
        }
        for (tag, words) in kind.languages.sorted(by: { $0.key < $1.key }) {
            for name in words.labels.keys.sorted() where !fields.contains(name) && !sides.contains(name) {
                let near = Spelling.nearest(to: name, among: fields + sides).map { "did you mean \($0.quoted)?" }
                add(
                    "\(tag): \(name.quoted) is neither a field nor a side", near ?? "remove it", nodes["languages"])
            }
        }
        return problems
    }
}

extension YAMLNode {
    /// The entry of a list; the list itself if there is none.
    fileprivate func entry(_ index: Int) -> YAMLNode {
        guard case .sequence(let nodes, _) = self, nodes.indices.contains(index) else { return self }
        return nodes[index]
    }
}

extension RecordKind {
    /// `true` if a text can be the ID of a kind: letters, digits, `-` and `_`, at most 64.
    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isWordCharacter) && !text.hasPrefix("-")
            && !text.hasPrefix("_")
    }

    /// The keys of a kind's file. The code has no other list of them; docs/records.md describes each.
    static let keys: [SessionField<RecordKind>] = [
        SessionField("title", \.title, .text("text", most: 200)),
        SessionField("key", optional: \.key, .entryName),
        SessionField("fields") { node, kind throws(InvalidValue) in
            kind.fields = try node.list("fields", most: 64, RecordField.read)
            try node.checkNames(kind.fields.map(\.name), of: "fields")
        },
        SessionField("sides") { node, kind throws(InvalidValue) in
            kind.sides = try node.list("sides", most: 32, RecordSide.read)
            try node.checkNames(kind.sides.map(\.name), of: "sides")
        },
        SessionField("keep", optional: \.retention, .retention),
        SessionField("languages") { node, kind throws(InvalidValue) in
            kind.languages = try RecordWords.readAll(node)
        },
    ]
}

extension RecordField {
    /// The keys of a field: those of a session's form, except `scan`, and those of records.
    static let keys: [SessionField<RecordField>] =
        FormField.fields.filter { $0.key != "scan" }.map { field in
            SessionField(field.key) { node, target throws(InvalidValue) in try field.read(node, &target.form) }
        } + [
            SessionField("unique", \.isUnique, .toggle),
            SessionField("personal", \.isPersonal, .toggle),
            SessionField("from") { node, field throws(InvalidValue) in field.source = try Source.read(node) },
        ]

    /// Reads a field.
    static func read(_ node: YAMLNode) throws(InvalidValue) -> RecordField {
        guard case .mapping(let nodes, let place) = node else {
            throw InvalidValue("a field is a mapping", advice: "begin it with name:", at: node.place)
        }
        var field = RecordField(FormField(name: ""))
        try SessionField.fill(&field, nodes, keys)
        try field.form.complete(at: place)
        guard field.name != "id" else {
            throw InvalidValue("no field can be called \"id\"", advice: "each record has its own ID", at: place)
        }
        return field
    }
}

extension RecordField.Source {
    /// The means by which a value is read.
    private enum Means: String, CaseIterable, Sendable { case code }

    /// The values of a source while it is read.
    private struct Draft {
        var side = ""
        var means: Means?
    }

    /// Reads a source: `{side: back, read: code}`.
    fileprivate static func read(_ node: YAMLNode) throws(InvalidValue) -> RecordField.Source {
        guard case .mapping(let nodes, let place) = node else {
            throw InvalidValue("from: is a mapping", advice: "write {side: back, read: code}", at: node.place)
        }
        var draft = Draft()
        try SessionField.fill(
            &draft, nodes,
            [SessionField("side", \Draft.side, .entryName), SessionField("read", optional: \Draft.means, .choice)])
        guard !draft.side.isEmpty, draft.means != nil else {
            throw InvalidValue(
                "from: needs side and read", advice: "write {side: back, read: code}", at: place)
        }
        return RecordField.Source(side: draft.side)
    }
}

extension RecordSide {
    static let keys: [SessionField<RecordSide>] = [
        SessionField("name", \.name, .entryName),
        SessionField("label", optional: \.label, .text("text", most: 200)),
        SessionField("required", \.isRequired, .toggle),
        SessionField("session", optional: \.session, .entryName),
        SessionField("stage", optional: \.stage, .entryName),
    ]

    /// Reads a side: its name, or a mapping.
    static func read(_ node: YAMLNode) throws(InvalidValue) -> RecordSide {
        guard case .mapping(let nodes, let place) = node else {
            return RecordSide(name: try SettingSyntax<String>.entryName.parse(try node.input))
        }
        var side = RecordSide(name: "")
        try SessionField.fill(&side, nodes, keys)
        guard !side.name.isEmpty else { throw InvalidValue("a side has no name", advice: "add name:", at: place) }
        guard side.stage == nil || side.session != nil else {
            throw InvalidValue("\(side.name): stage needs a session", advice: "add session:", at: place)
        }
        guard side.name != "id" else {
            throw InvalidValue("no side can be called \"id\"", advice: "each record has its own ID", at: place)
        }
        return side
    }
}

extension RecordWords {
    private static let keys: [SessionField<RecordWords>] = [
        SessionField("title", optional: \.title, .text("text", most: 200)),
        SessionField("fields") { node, words throws(InvalidValue) in try words.read("fields", node) },
        SessionField("sides") { node, words throws(InvalidValue) in try words.read("sides", node) },
    ]

    /// Adds labels.
    private mutating func read(_ key: String, _ node: YAMLNode) throws(InvalidValue) {
        let added = try node.mapping(key) { node throws(InvalidValue) in
            try SettingSyntax<String>.text("text", most: 200).parse(try node.input)
        }
        labels.merge(added) { _, new in new }
    }

    /// Reads the words of all languages.
    static func readAll(_ node: YAMLNode) throws(InvalidValue) -> [String: RecordWords] {
        try node.languages { node throws(InvalidValue) in
            guard case .mapping(let nodes, _) = node else {
                throw InvalidValue("a language is a mapping", advice: "write title: below it", at: node.place)
            }
            var words = RecordWords()
            try SessionField.fill(&words, nodes, keys)
            return words
        }
    }
}

extension SettingSyntax where Value == Duration {
    /// The time for which something is kept, from an hour to a hundred years: `90d`, or years of 365 days: `1y`.
    static var retention: Self {
        Self("duration", choices: ["90d", "1y"]) { text throws(InvalidValue) in
            let years = 1...100
            if text.hasSuffix("y"), let count = Int(text.dropLast()), text.utf8.first?.isDigit == true {
                guard years.contains(count) else {
                    throw InvalidValue("\(text.quoted) is out of range", advice: "give 1y to 100y")
                }
                return .seconds(count * 365 * 86400)
            }
            do throws(InvalidValue) {
                return try SettingSyntax.limit(3600...years.upperBound * 365 * 86400).parse(
                    .text(SourcedText(text: text)))
            } catch {
                throw InvalidValue(error.message, advice: "give a time such as 90d or 1y", at: error.place)
            }
        }
    }
}
