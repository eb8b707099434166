// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The input for a setting. A preset can contain lists and mappings, a variable or an option is a text, and a repeated
/// option is a list of texts.
package indirect enum SettingInput: Sendable {
    case text(SourcedText)
    case list([SettingInput], TextPlace?)
    case mapping([Pair], TextPlace?)

    /// A key and a value of a mapping.
    package struct Pair: Sendable {
        package let key: SourcedText
        package let value: SourcedText

        package init(key: SourcedText, value: SourcedText) { (self.key, self.value) = (key, value) }
    }

    /// The place at which the input begins; `nil` if it is not from a file.
    package var place: TextPlace? {
        switch self {
        case .text(let sourced): sourced.place
        case .list(_, let place), .mapping(_, let place): place
        }
    }

    /// The entries of a list, or the input itself as the only entry.
    package var entries: [SettingInput] { if case .list(let items, _) = self { items } else { [self] } }
}

/// A text with its place.
package struct SourcedText: Sendable {
    package let text: String
    package var place: TextPlace?
    /// `true` if the file has the text in quotation marks or as a block: then even `null` is a text.
    package let isQuoted: Bool

    package init(text: String, place: TextPlace? = nil, isQuoted: Bool = false) {
        (self.text, self.place, self.isQuoted) = (text, place, isQuoted)
    }
}

/// A place in a file. Both numbers count from 1, columns in Unicode scalars.
package struct TextPlace: Sendable, Hashable, Comparable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

    package static func < (first: TextPlace, second: TextPlace) -> Bool {
        (first.line, first.column) < (second.line, second.column)
    }
}

/// The reason why a value cannot be read, without the name of its setting.
package struct InvalidValue: Error {
    package let message: String
    package var advice: String?
    package var place: TextPlace?
    /// Further mistakes in the same value.
    var further: [InvalidValue] = []

    package init(_ message: String, advice: String? = nil, at place: TextPlace? = nil) {
        self.message = message
        self.advice = advice
        self.place = place
    }

    /// Returns the same error, at this place if it has none yet.
    package func at(_ place: TextPlace?) -> InvalidValue {
        var placed = self
        placed.place = self.place ?? place
        return placed
    }

    /// Reads all entries and joins their values. Throws the errors of all entries at once.
    package static func collecting<Entry, Value>(
        _ entries: [Entry], _ read: (Entry) throws(InvalidValue) -> [Value]
    ) throws(InvalidValue) -> [Value] {
        var (values, problems): ([Value], [InvalidValue]) = ([], [])
        for entry in entries {
            do throws(InvalidValue) { values += try read(entry) } catch { problems.append(error) }
        }
        if let problem = joining(problems) { throw problem }
        return values
    }

    /// Joins errors into one: the first, with the others as further ones; `nil` if there are none.
    package static func joining(_ problems: [InvalidValue]) -> InvalidValue? {
        let all = problems.flatMap(\.all)
        guard var first = all.first else { return nil }
        first.further = Array(all.dropFirst())
        return first
    }

    /// This error and the further ones, each as a separate error.
    package var all: [InvalidValue] { [InvalidValue(message, advice: advice, at: place)] + further }
}

extension String {
    /// The text in quotation marks, shortened to 60 characters, fit for one line of a message.
    package var quoted: String {
        let text = FixedText.clean(utf8.prefix(512))
        return "\"" + (text.count > 60 ? text.prefix(59) + "…" : text[...]) + "\""
    }
}
