// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import StillKit

extension SettingSyntax {
    /// Returns the texts of a list. Commas separate several texts in one entry.
    private static func texts(_ input: SettingInput) throws(InvalidValue) -> [SourcedText] {
        var texts: [SourcedText] = []
        for item in items(input) {
            guard case .text(let sourced) = item else {
                throw InvalidValue("takes a list, not a mapping", advice: "write [one, another]", at: item.place)
            }
            texts += sourced.text.split(separator: ",", omittingEmptySubsequences: false).map {
                SourcedText(text: String($0), place: sourced.place)
            }
        }
        return texts
    }

    /// Reads the values of a list, all in the same syntax.
    private static func elements<Element>(
        _ input: SettingInput, _ element: SettingSyntax<Element>
    ) throws(InvalidValue) -> [Element] {
        var elements: [Element] = []
        for text in try texts(input) { elements.append(try element.parse(.text(text))) }
        return elements
    }

    /// Several values, in order.
    package static func list<Element>(of element: SettingSyntax<Element>) -> Self where Value == [Element] {
        Self(list: element.form.placeholder, choices: element.form.choices) { input throws(InvalidValue) in
            try elements(input, element)
        }
    }

    /// Several values, without order.
    static func set<Element>(of element: SettingSyntax<Element>) -> Self where Value == Set<Element> {
        Self(list: element.form.placeholder, choices: element.form.choices) { input throws(InvalidValue) in
            Set(try elements(input, element))
        }
    }
}

extension SettingSyntax where Value == ControlAssignment {
    /// One name and its value.
    static var control: Self {
        Self("name=value") { text throws(InvalidValue) in
            let sourced = SourcedText(text: text, place: nil)
            guard let only = try SettingSyntax<[ControlAssignment]>.controls.parse(.text(sourced)).first,
                !text.contains(",")
            else { throw InvalidValue("\(text.quoted) is not name=value", advice: "write it as lamp=1") }
            return only
        }
    }
}

extension SettingSyntax where Value == [ControlAssignment] {
    /// Names and values: a mapping in a preset, `name=value` elsewhere.
    static var controls: Self {
        Self(list: "name=value", merge: merged) { input throws(InvalidValue) in
            var assignments: [ControlAssignment] = []
            for pair in try pairs(input) {
                let assignment = try assignment(pair)
                guard !assignments.contains(where: { $0.name == assignment.name }) else {
                    throw InvalidValue("\(assignment.name) is set twice", at: pair.key.place)
                }
                assignments.append(assignment)
            }
            return assignments
        }
    }

    private static func pairs(_ input: SettingInput) throws(InvalidValue) -> [SettingInput.Pair] {
        if case .mapping(let pairs, _) = input { return pairs }
        var pairs: [SettingInput.Pair] = []
        for sourced in try texts(input) {
            let parts = sourced.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw InvalidValue(
                    "\(sourced.text.quoted) is not name=value", advice: "write it as brightness=128",
                    at: sourced.place)
            }
            let texts = parts.map { SourcedText(text: String($0), place: sourced.place) }
            pairs.append(SettingInput.Pair(key: texts[0], value: texts[1]))
        }
        return pairs
    }

    private static func assignment(_ pair: SettingInput.Pair) throws(InvalidValue) -> ControlAssignment {
        let name = try read(pair.key) { text throws(InvalidValue) in
            let isName = text.utf8.count <= 64 && text.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: " ") }
            guard isName else { throw InvalidValue("\(text.quoted) is not a control name") }
            return text
        }
        return ControlAssignment(name: name, value: try SettingSyntax<String>.text("value").parse(.text(pair.value)))
    }

    /// Puts the lower controls first, since controls may depend on others that a preset sets.
    private static var merged: @Sendable (Value, Value) -> Value {
        { upper, lower in lower.filter { old in !upper.contains { $0.name == old.name } } + upper }
    }
}

extension SettingSyntax where Value == Int {
    /// A number of bytes, such as `64MiB`.
    static func byteSize(from least: Int = 1, to most: Int = .max) -> Self {
        Self("size") { text throws(InvalidValue) in
            let size = try ByteSize.parse(text)
            guard size >= least else {
                throw InvalidValue("\(text.quoted) is too small", advice: "give a size such as 50GB")
            }
            guard size <= most else { throw InvalidValue("\(text.quoted) is too large", advice: "give 1TiB or less") }
            return size
        }
    }
}

extension SettingSyntax where Value == FreeSpaceFloor {
    /// A number of bytes, or a percentage of the disk.
    static var freeSpace: Self {
        Self("size|percent") { text throws(InvalidValue) in
            if let share = try ByteSize.parseShare(text) { return .share(share) }
            return .bytes(try ByteSize.parse(text))
        }
    }
}

extension SettingSyntax where Value == LimitPolicy {
    /// `stop`, `prune`, `thin`, or `thin:4` to keep every 4th.
    static var limitPolicy: Self {
        Self("stop|prune|thin[:n]", choices: ["stop", "prune", "thin", "thin:4"]) { text throws(InvalidValue) in
            let parts = text.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            switch (parts[0], parts.count) {
            case ("stop", 1): return .stop
            case ("prune", 1): return .prune
            case ("thin", 1): return .thin(every: 2)
            case ("thin", _):
                let number = SettingSyntax<Int>.integer("n", 2...1000)
                return .thin(every: try number.parse(.text(SourcedText(text: String(parts[1])))))
            default: throw InvalidValue("\(text.quoted) is not known", advice: "give stop, prune, thin or thin:4")
            }
        }
    }
}
