// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit

/// Parses a session from the bytes of a file, and collects all mistakes.
struct SessionReader {
    private(set) var session: SessionDescription
    private(set) var text = ""
    /// The mistakes, in the order of the file.
    private(set) var errors: [CaptureError] = []
    /// The outlines that the stages name, with their places in the file.
    private(set) var outlines: [SourcedText] = []
    /// The pictures that the tutorial names, with their places in the file.
    private(set) var pictures: [SourcedText] = []

    /// The deepest nesting: a key, its list, a stage in it, its gates, one gate, and its values.
    private static let levels = 6
    /// The most mistakes to report; more are no help.
    private static let mostProblems = 20

    /// Parses the bytes.
    ///
    /// - Parameter file: The name of the file in errors.
    init(_ bytes: [UInt8], name: String, file: String) {
        session = SessionDescription(name: name, stages: [])
        var problems: [InvalidValue] = []
        do throws(InvalidValue) {
            text = try SettingsText(bytes, of: "session").text
            session.purpose = SettingsText.firstComment(text)
            let document = SettingsDocument(text, levels: Self.levels)
            let pairs = document.entries.map { (key: $0.key, value: $0.value) }
            problems = document.problems + SessionField.read(pairs, SessionDescription.fields, into: &session)
            outlines = Self.texts("outline", of: "stages", in: document)
            pictures = Self.texts("picture", of: "tutorial", in: document)
            if problems.isEmpty { try check() }
        } catch {
            problems.append(error)
        }
        errors = Array(InvalidValue.errors(problems, in: file).prefix(Self.mostProblems))
    }

    private func check() throws(InvalidValue) {
        if session.stages.isEmpty {
            throw InvalidValue("has no stages", advice: "write stages: and an entry for each", at: .start)
        }
        guard session.pictureCount <= SessionDescription.mostPictures else {
            throw InvalidValue(
                "has \(session.pictureCount) pictures",
                advice: "a session has at most \(SessionDescription.mostPictures)", at: .start)
        }
    }

    /// The values of a key in the entries of a list.
    private static func texts(_ key: String, of list: String, in document: SettingsDocument) -> [SourcedText] {
        let entries = document.entries.filter { $0.key.text == list }.flatMap(\.value.entries)
        return entries.flatMap(\.pairs).compactMap { pair in
            guard pair.key.text == key, case .scalar(let sourced) = pair.value else { return nil }
            return SourcedText(text: FixedText.trimmed(sourced.text), place: sourced.place)
        }
    }
}

extension YAMLNode {
    /// The keys and values of a mapping.
    fileprivate var pairs: [Pair] {
        if case .mapping(let pairs, _) = self { pairs } else { [] }
    }
}
