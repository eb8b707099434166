// Part of gst-capture. Apache License 2.0, see LICENSE.

/// YAML text that begins at some line of a file.
package struct YAMLText {
    let text: String
    /// The line of the file at which the text begins, from 1.
    let line: Int

    package init(_ text: String, line: Int) {
        self.text = text
        self.line = line
    }

    /// Returns the value of the only document; `nil` if there is none.
    ///
    /// - Parameter levels: The maximum nesting depth; see ``YAMLParser``.
    package func root(levels: Int = YAMLParser.settingLevels) throws(InvalidValue) -> YAMLNode? {
        do throws(YAMLParser.Failure) {
            return try YAMLParser(text, line: line, levels: levels).root()
        } catch {
            throw problem(error)
        }
    }
}

extension YAMLText {
    /// Splits the text into parts of one key each, as well as possible without parsing YAML.
    ///
    /// A line belongs to the key above if it is empty or indented, or begins with a character that cannot begin a key.
    package static func parts(of text: String) -> [YAMLText] {
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
            return InvalidValue("tabs cannot indent YAML", advice: "use spaces", at: failure.place)
        }
        // libyaml reports an unclosed quote or bracket at the end of the file; the place of its opening helps more.
        guard let context = failure.context, ["quoted", "flow"].contains(where: context.contains) else {
            return InvalidValue("is not YAML: \(failure.problem)", advice: failure.advice, at: failure.place)
        }
        // libyaml scans a quoted scalar up to its end, and parses the escapes in it.
        let isEscape = context.contains("parsing a quoted")
        return InvalidValue(
            "is not YAML: \(context), \(failure.problem)",
            advice: isEscape
                ? "write \\\\ for a backslash, or use single quotes" : "close the quote or bracket that begins here",
            at: failure.contextPlace)
    }
}
