// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The form of a setting's values, for help and completion.
package struct SettingForm: Sendable {
    /// The placeholder of a value in help: `pixels`.
    package let placeholder: String
    /// The accepted words, or the best known ones; empty if the setting accepts any text.
    package let choices: [String]
    /// `true` if the setting can be repeated, and accepts several values at once.
    package let isList: Bool
}

/// The syntax of a setting's values.
package struct SettingSyntax<Value: Sendable>: Sendable {
    package let form: SettingForm
    /// Reads a value.
    package let parse: @Sendable (SettingInput) throws(InvalidValue) -> Value
    /// Merges the value of an upper origin with that of a lower one.
    package let merge: @Sendable (_ upper: Value, _ lower: Value) -> Value

    /// Creates the syntax of a value that is one text. Whitespace around it is ignored.
    package init(
        _ placeholder: String, choices: [String] = [],
        read: @escaping @Sendable (String) throws(InvalidValue) -> Value
    ) {
        form = SettingForm(placeholder: placeholder, choices: choices, isList: false)
        merge = { upper, _ in upper }
        parse = { input throws(InvalidValue) in
            guard case .text(let sourced) = input else { throw InvalidValue("takes a single value, not a list") }
            return try Self.read(sourced, with: read)
        }
    }

    /// Creates the syntax of a value that consists of several texts.
    package init(
        list placeholder: String, choices: [String] = [],
        merge: @escaping @Sendable (_ upper: Value, _ lower: Value) -> Value = { upper, _ in upper },
        parse: @escaping @Sendable (SettingInput) throws(InvalidValue) -> Value
    ) {
        form = SettingForm(placeholder: placeholder, choices: choices, isList: true)
        self.merge = merge
        self.parse = parse
    }

    /// Reads one text of a value. Errors have its place.
    package static func read<Element>(
        _ sourced: SourcedText, with read: (String) throws(InvalidValue) -> Element
    ) throws(InvalidValue) -> Element {
        let text = FixedText.trimmed(sourced.text)
        do throws(InvalidValue) {
            guard !text.isEmpty else { throw InvalidValue("has no value", advice: "give one, or leave it out") }
            return try read(text)
        } catch {
            throw error.at(sourced.place)
        }
    }
}

extension SettingSyntax {
    /// Returns the entries of a list, or a single value as the only entry; empty for the word `none`.
    package static func items(_ input: SettingInput) -> [SettingInput] {
        if case .text(let sourced) = input, FixedText.trimmed(sourced.text) == "none" { [] } else { input.entries }
    }
}

extension SettingSyntax where Value == String {
    /// A text of one line.
    package static func text(_ placeholder: String, most: Int = 4096) -> Self {
        Self(placeholder) { text throws(InvalidValue) in
            guard text.utf8.count <= most else { throw InvalidValue("is longer than \(most) bytes") }
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw InvalidValue("contains a control character", advice: "write it on one line")
            }
            return text
        }
    }
}

extension SettingSyntax where Value == Int {
    /// A whole number.
    package static func integer(_ placeholder: String, _ range: ClosedRange<Int>) -> Self {
        Self(placeholder) { text throws(InvalidValue) in
            let advice = "give \(range.lowerBound) to \(range.upperBound)"
            guard text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }), let number = Int(text) else {
                throw InvalidValue("\(text.quoted) is not a whole number", advice: advice)
            }
            guard range.contains(number) else { throw InvalidValue("\(number) is out of range", advice: advice) }
            return number
        }
    }
}

extension SettingSyntax where Value == Bool {
    /// Yes or no.
    package static var toggle: Self {
        Self("yes|no", choices: ["yes", "no"]) { text throws(InvalidValue) in
            switch text.lowercased() {
            case "yes", "true", "on", "1": return true
            case "no", "false", "off", "0": return false
            default: throw InvalidValue("\(text.quoted) is neither yes nor no")
            }
        }
    }
}

extension SettingSyntax where Value: CaseIterable & RawRepresentable, Value.RawValue: LosslessStringConvertible {
    /// One of the words, or numbers, of an enumeration.
    package static var choice: Self {
        let words = Value.allCases.map { String($0.rawValue) }
        return Self(words.joined(separator: "|"), choices: words) { text throws(InvalidValue) in
            let word = text.lowercased()
            if let value = Value.allCases.first(where: { String($0.rawValue) == word }) { return value }
            throw InvalidValue("\(text.quoted) is not known", advice: "give \(words.alternatives)")
        }
    }
}
