// Part of gst-capture. Apache License 2.0, see LICENSE.

import Yams

/// YAML that begins at some line of a file.
struct YAMLText {
    let text: String
    /// The line of the file that the text begins at, from 1.
    let line: Int

    init(_ text: String, line: Int) {
        self.text = text
        self.line = line
    }

    /// The value of the only document; `nil` where there is none.
    func root() throws(InvalidValue) -> Node? {
        do {
            // Without rules all scalars stay the text that they are: no "no" turns into false. And with an encoding
            // given, Yams asks no variable of the environment for it.
            return try compose(yaml: text, .basic, .default, .utf8)
        } catch {
            throw problem(error)
        }
    }

    /// A node as what was written.
    func input(_ node: Node) throws(InvalidValue) -> SettingInput {
        switch node {
        case .mapping(let mapping):
            var pairs: [SettingInput.Pair] = []
            for (key, value) in mapping {
                pairs.append(SettingInput.Pair(key: try written(key), value: try written(value)))
            }
            return .mapping(pairs, place(node))
        case .sequence(let sequence):
            var texts: [Written] = []
            for node in sequence { texts.append(try written(node)) }
            return .list(texts, place(node))
        default: return .text(try written(node))
        }
    }

    /// Where a node is in the file.
    func place(_ node: Node) -> TextPlace? { node.mark.map(place) }

    private func place(_ mark: Mark) -> TextPlace { TextPlace(line: mark.line + line - 1, column: mark.column) }

    private func written(_ node: Node) throws(InvalidValue) -> Written {
        guard let text = node.string else {
            throw InvalidValue("a list cannot be inside of another", advice: "write a single value", at: place(node))
        }
        return Written(text: text, place: place(node))
    }
}

extension YAMLText {
    /// The text in parts of one key each, as far as that shows without reading YAML.
    ///
    /// A line belongs to the key above where it is empty or indented, and where it begins with what cannot begin a key.
    static func parts(of text: String) -> [YAMLText] {
        var parts: [YAMLText] = []
        var (lines, start) = ([Substring](), 1)
        for (number, bytes) in text.lines.enumerated() {
            let line = Substring(bytes)
            if let first = line.utf8.first, !Array(" \t\r#-]},%".utf8).contains(first) {
                parts.append(YAMLText(lines.joined(separator: "\n"), line: start))
                (lines, start) = ([], number + 1)
            }
            lines.append(line.hasPrefix("---") ? "" : line)
        }
        return parts + [YAMLText(lines.joined(separator: "\n"), line: start)]
    }
}

extension YAMLText {
    private func problem(_ error: any Error) -> InvalidValue {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return syntaxProblem(problem, mark, context)
        case .duplicatedKeysInMapping(let keys, let context):
            let key = keys.first ?? ""
            let second = repetition(of: key, after: context.mark) ?? place(context.mark)
            return .twice(key, first: place(context.mark).line, at: second)
        case .reader(let problem, let offset, _, _):
            return InvalidValue("is not YAML: \(problem)", at: offset.flatMap(place(ofCharacter:)))
        default:
            return InvalidValue("is not YAML")
        }
    }

    private func syntaxProblem(_ problem: String, _ mark: Mark, _ context: YamlError.Context?) -> InvalidValue {
        let line = text.lines.dropFirst(mark.line - 1).first.map { Substring($0).unicodeScalars }
        if line?.dropFirst(mark.column - 1).first == "\t" {
            return InvalidValue("a tab cannot indent", advice: "use blanks", at: place(mark))
        }
        // What is never closed is found at the end of the file; where it was opened is of more help.
        guard let context, ["quoted", "flow"].contains(where: context.text.contains) else {
            return InvalidValue("is not YAML: \(problem)", at: place(mark))
        }
        return InvalidValue("is not YAML: \(context.text), \(problem)", at: place(context.mark))
    }

    /// Where a key is again in the lines below, at the beginning of a line.
    private func repetition(of key: String, after mark: Mark) -> TextPlace? {
        for (index, bytes) in text.lines.enumerated().dropFirst(mark.line) {
            let text = Substring(bytes)
            let column = text.unicodeScalars.prefix { $0 == " " }.count
            let rest = text.dropFirst(column).drop { "\"'".contains($0) }
            if rest.hasPrefix(key), let end = rest.dropFirst(key.count).first, ":\"' ".contains(end) {
                return TextPlace(line: index + line, column: column + 1)
            }
        }
        return nil
    }

    private func place(ofCharacter offset: Int) -> TextPlace? {
        guard let index = text.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) else { return nil }
        let before = text[..<index].unicodeScalars
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        return TextPlace(line: before.count { $0 == "\n" } + line, column: column)
    }
}
