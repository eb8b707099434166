// Part of gst-capture. Apache License 2.0, see LICENSE.

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
    ///
    /// - Parameter levels: How deep it may reach; see ``YAMLParser``.
    func root(levels: Int = YAMLParser.settingLevels) throws(InvalidValue) -> YAMLNode? {
        do throws(YAMLParser.Failure) {
            return try YAMLParser(text, line: line, levels: levels).root()
        } catch {
            throw problem(error)
        }
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
    private func problem(_ failure: YAMLParser.Failure) -> InvalidValue {
        let written = text.lines.dropFirst(failure.place.line - line).first.map { Substring($0).unicodeScalars }
        if written?.dropFirst(failure.place.column - 1).first == "\t" {
            return InvalidValue("a tab cannot indent", advice: "use blanks", at: failure.place)
        }
        // What is never closed is found at the end of the file; where it was opened is of more help.
        guard let context = failure.context, ["quoted", "flow"].contains(where: context.contains) else {
            return InvalidValue("is not YAML: \(failure.problem)", at: failure.place)
        }
        return InvalidValue("is not YAML: \(context), \(failure.problem)", at: failure.contextPlace)
    }
}
