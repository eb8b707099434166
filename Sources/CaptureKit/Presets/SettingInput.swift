// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The input for a setting. Presets can contain lists and mappings; variables and options are text; an option that is
/// repeated is a list of texts.
indirect enum SettingInput: Sendable {
    case text(Written)
    case list([SettingInput], TextPlace?)
    case mapping([Pair], TextPlace?)

    /// A key and a value of a mapping.
    struct Pair: Sendable {
        let key: Written
        let value: Written
    }

    /// The place at which the input begins; `nil` if it is not from a file.
    var place: TextPlace? {
        switch self {
        case .text(let written): written.place
        case .list(_, let place), .mapping(_, let place): place
        }
    }
}

/// A text with its place.
struct Written: Sendable {
    let text: String
    var place: TextPlace?
}

/// A place in a file. Both numbers count from 1, columns in Unicode scalars.
struct TextPlace: Sendable, Hashable, Comparable {
    let line: Int
    let column: Int

    static func < (first: TextPlace, second: TextPlace) -> Bool {
        (first.line, first.column) < (second.line, second.column)
    }
}

/// The reason why a value cannot be read, without the name of its setting.
struct InvalidValue: Error {
    let message: String
    var advice: String?
    var place: TextPlace?
    /// Further mistakes in the same value.
    var further: [InvalidValue] = []

    init(_ message: String, advice: String? = nil, at place: TextPlace? = nil) {
        self.message = message
        self.advice = advice
        self.place = place
    }

    /// Returns the same error, at this place if it has none yet.
    func at(_ place: TextPlace?) -> InvalidValue {
        var placed = self
        placed.place = self.place ?? place
        return placed
    }

    /// Reads all entries and joins their values. Throws the errors of all entries at once.
    static func collecting<Entry, Value>(
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
    static func joining(_ problems: [InvalidValue]) -> InvalidValue? {
        let all = problems.flatMap(\.all)
        guard var first = all.first else { return nil }
        first.further = Array(all.dropFirst())
        return first
    }

    /// This error and the further ones, each as a separate error.
    var all: [InvalidValue] { [InvalidValue(message, advice: advice, at: place)] + further }
}

extension String {
    /// The text in quotation marks, shortened to 60 characters, fit for one line of a message.
    var quoted: String {
        let text = FixedText.clean(utf8.prefix(512))
        return "\"" + (text.count > 60 ? text.prefix(59) + "…" : text[...]) + "\""
    }
}
