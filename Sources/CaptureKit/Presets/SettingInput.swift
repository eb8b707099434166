// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What was written for a setting: a preset can say lists and mappings, variables and options say texts; an option
/// that is given several times is a list of them.
indirect enum SettingInput: Sendable {
    case text(Written)
    case list([SettingInput], TextPlace?)
    case mapping([Pair], TextPlace?)

    /// A key and a value of a mapping.
    struct Pair: Sendable {
        let key: Written
        let value: Written
    }

    /// Where it begins; `nil` where it is in no file.
    var place: TextPlace? {
        switch self {
        case .text(let written): written.place
        case .list(_, let place), .mapping(_, let place): place
        }
    }
}

/// A text, and where it was written.
struct Written: Sendable {
    let text: String
    var place: TextPlace?
}

/// A place in a file; both count from 1, columns in Unicode scalars.
struct TextPlace: Sendable, Hashable, Comparable {
    let line: Int
    let column: Int

    static func < (first: TextPlace, second: TextPlace) -> Bool {
        (first.line, first.column) < (second.line, second.column)
    }
}

/// Why what was written cannot be read, without saying for which setting.
struct InvalidValue: Error {
    let message: String
    var advice: String?
    var place: TextPlace?
    /// More that is wrong in the same value.
    var further: [InvalidValue] = []

    init(_ message: String, advice: String? = nil, at place: TextPlace? = nil) {
        self.message = message
        self.advice = advice
        self.place = place
    }

    /// The same, at this place if none is known yet.
    func at(_ place: TextPlace?) -> InvalidValue {
        var placed = self
        placed.place = self.place ?? place
        return placed
    }

    /// What entries stand for, one after the other; all that is wrong in any of them is thrown at once.
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

    /// One for several: the first, with the others behind it.
    static func joining(_ problems: [InvalidValue]) -> InvalidValue? {
        let all = problems.flatMap(\.all)
        guard var first = all.first else { return nil }
        first.further = Array(all.dropFirst())
        return first
    }

    /// This one and what is further, each on its own.
    var all: [InvalidValue] { [InvalidValue(message, advice: advice, at: place)] + further }
}

extension String {
    /// The text in quotation marks, fit for one line of a message.
    var quoted: String {
        let text = FixedText.clean(utf8.prefix(512))
        return "\"" + (text.count > 60 ? text.prefix(59) + "…" : text[...]) + "\""
    }
}
