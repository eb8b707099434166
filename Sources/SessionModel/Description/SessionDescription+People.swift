// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

// The parts of a session's file for strangers: consent, fields and languages.

extension SessionConsent {
    private static let fields: [SessionField<SessionConsent>] = [
        SessionField("text", \.text, .text("text")),
        SessionField("retention", optional: \.retention, .limit(60...3650 * 86400)),
    ]

    /// Reads a consent: a text, or a mapping of text and retention.
    static func read(_ node: YAMLNode) throws(InvalidValue) -> SessionConsent {
        guard case .mapping(let nodes, let place) = node else {
            return SessionConsent(try SettingSyntax<String>.text("text").parse(try node.input))
        }
        var consent = SessionConsent("")
        try SessionField.fill(&consent, nodes, fields)
        guard !consent.text.isEmpty else { throw InvalidValue("consent has no text", advice: "add text:", at: place) }
        return consent
    }
}

extension FormField {
    package static let fields: [SessionField<FormField>] = [
        SessionField("name", \.name, .entryName),
        SessionField("label", optional: \.label, .text("text", most: 200)),
        SessionField("kind", \.kind, .choice),
        SessionField("required", \.isRequired, .toggle),
        SessionField("scan", \.isScanned, .toggle),
        SessionField("pattern", optional: \.pattern, .pattern),
        SessionField("choices") { node, field throws(InvalidValue) in
            field.choices = try node.texts("choices", most: 200)
        },
    ]

    /// Reads a field.
    package static func read(_ node: YAMLNode) throws(InvalidValue) -> FormField {
        guard case .mapping(let nodes, let place) = node else {
            throw InvalidValue("a field is a mapping", advice: "begin it with name:", at: node.place)
        }
        var field = FormField(name: "")
        try SessionField.fill(&field, nodes, fields)
        try field.complete(at: place)
        return field
    }

    /// Completes a field whose keys are read.
    ///
    /// - Parameter place: The place of the field.
    package mutating func complete(at place: TextPlace) throws(InvalidValue) {
        guard !name.isEmpty else { throw InvalidValue("a field has no name", advice: "add name:", at: place) }
        if !choices.isEmpty { kind = .choice }
        guard kind != .choice || !choices.isEmpty else {
            throw InvalidValue("\(name): has no choices", advice: "add choices:", at: place)
        }
    }
}

extension SessionWords {
    private static let fields: [SessionField<SessionWords>] = [
        SessionField("title", optional: \.title, .text("text", most: 200)),
        SessionField("purpose", optional: \.purpose, .text("text", most: 1000)),
        SessionField("consent", optional: \.consent, .text("text")),
        SessionField("tutorial") { node, words throws(InvalidValue) in
            words.tutorial = try node.texts("tutorial", most: 4096)
        },
        SessionField("stages") { node, words throws(InvalidValue) in
            words.stages = try node.mapping("stages", Stage.read)
        },
        SessionField("fields") { node, words throws(InvalidValue) in
            words.labels = try node.mapping("fields") { node throws(InvalidValue) in
                try SettingSyntax<String>.text("text", most: 200).parse(try node.input)
            }
        },
    ]

    /// Reads the words of all languages.
    static func readAll(_ node: YAMLNode) throws(InvalidValue) -> [String: SessionWords] {
        try node.languages { node throws(InvalidValue) in
            guard case .mapping(let nodes, _) = node else {
                throw InvalidValue("a language is a mapping", advice: "write title: below it", at: node.place)
            }
            var words = SessionWords()
            try SessionField.fill(&words, nodes, fields)
            return words
        }
    }
}

extension SessionWords.Stage {
    private static let fields: [SessionField<SessionWords.Stage>] = [
        SessionField("title", optional: \.title, .text("text", most: 200)),
        SessionField("prompt", optional: \.prompt, .text("text", most: 500)),
    ]

    /// Reads the texts of a stage: the prompt, or a mapping of title and prompt.
    static func read(_ node: YAMLNode) throws(InvalidValue) -> SessionWords.Stage {
        var stage = SessionWords.Stage()
        if case .mapping(let nodes, _) = node {
            try SessionField.fill(&stage, nodes, fields)
        } else {
            stage.prompt = try SettingSyntax<String>.text("text", most: 500).parse(try node.input)
        }
        return stage
    }
}

extension SettingSyntax where Value == Duration {
    /// A time between these bounds in seconds.
    package static func limit(_ seconds: ClosedRange<Int>) -> Self {
        let duration = duration(from: .seconds(seconds.lowerBound))
        return Self("duration") { text throws(InvalidValue) in
            let limit = try duration.parse(.text(SourcedText(text: text)))
            let most = Duration.seconds(seconds.upperBound)
            guard limit <= most else {
                throw InvalidValue("\(text.quoted) is too long", advice: "give \(most.shortText) or less")
            }
            return limit
        }
    }
}

extension SettingSyntax where Value == String {
    /// A BCP 47 tag, such as `de` or `pt-br`.
    package static var languageTag: Self {
        Self("language") { text throws(InvalidValue) in
            let tag = text.lowercased()
            let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
            let isTag = parts.allSatisfy { part in
                (1...8).contains(part.utf8.count)
                    && part.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            }
            guard isTag, parts[0].utf8.count >= 2, parts.count <= 4 else {
                throw InvalidValue("\(text.quoted) is not a language", advice: "give a tag such as de or pt-br")
            }
            return tag
        }
    }

    /// A regular expression.
    fileprivate static var pattern: Self {
        Self("pattern") { text throws(InvalidValue) in
            do throws(PatternError) {
                _ = try TextPattern(text)
            } catch {
                throw InvalidValue("\(text.quoted) \(error.problem)", advice: error.remedy)
            }
            return text
        }
    }
}
