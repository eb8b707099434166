// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The syntax of layers.
///
/// A layer is `KIND:VALUE;key=value;key=value`; an outline needs no kind. Commas separate layers, but a text layer
/// extends to the end: `face;color=orange,grid:thirds,text:Hello, stranger`. `\,` and `\;` stand for a comma and a
/// semicolon that do not separate. A preset can also write a layer as a mapping: its kind with the value, and each
/// attribute.
enum LayerSyntax {
    /// The limit for the number of layers in an overlay.
    static let mostLayers = 64

    /// Parses a text of one or more layers.
    static func layers(_ sourced: SourcedText) throws(InvalidValue) -> [UnresolvedLayer] {
        var layers: [UnresolvedLayer] = []
        for text in try LayerText.split(sourced.text) {
            layers.append(try layer(text, at: sourced.place))
        }
        return layers
    }

    /// Parses the mapping of one layer.
    static func layer(_ pairs: [SettingInput.Pair], at place: TextPlace?) throws(InvalidValue) -> UnresolvedLayer {
        let kinds = pairs.filter { LayerKind(word: $0.key.text) != nil }
        guard let first = kinds.first, let kind = LayerKind(word: first.key.text) else {
            throw withoutKind(pairs).at(place)
        }
        if let second = kinds.dropFirst().first {
            throw InvalidValue(
                "a layer cannot be \(kind.rawValue) and \(second.key.text)", advice: "make two entries",
                at: second.key.place)
        }
        let attributes = pairs.filter { LayerKind(word: $0.key.text) == nil }
        return try LayerEntry(kind: kind, value: first.value, attributes: attributes).layer()
    }

    /// Returns the error for a mapping without a kind. An unknown key may be a misspelled kind.
    private static func withoutKind(_ pairs: [SettingInput.Pair]) -> InvalidValue {
        let kinds = LayerKind.allCases.map(\.rawValue)
        let advice = "write one of " + kinds.joined(separator: ", ")
        guard let key = pairs.map(\.key).first(where: { LayerAttribute(key: $0.text) == nil }) else {
            return InvalidValue("a layer has no kind", advice: advice)
        }
        let near = Spelling.nearest(to: key.text, among: kinds + LayerAttribute.allCases.map(\.rawValue))
        return InvalidValue(
            "unknown key \(key.text.quoted)", advice: near.map { "did you mean \($0)?" } ?? advice, at: key.place)
    }

    /// Parses attributes alone: `key=value;key=value`.
    static func pairs(_ sourced: SourcedText) throws(InvalidValue) -> [SettingInput.Pair] {
        var pairs: [SettingInput.Pair] = []
        for part in sourced.text.split(separator: ";") { pairs.append(try pair(String(part), at: sourced.place)) }
        return pairs
    }

    private static func layer(_ text: LayerText, at place: TextPlace?) throws(InvalidValue) -> UnresolvedLayer {
        do throws(InvalidValue) {
            let (kind, value) = try head(text.head)
            var pairs: [SettingInput.Pair] = []
            for attribute in text.attributes { pairs.append(try pair(attribute, at: place)) }
            return try LayerEntry(kind: kind, value: SourcedText(text: value, place: place), attributes: pairs).layer()
        } catch {
            throw error.at(place)
        }
    }

    /// Returns the kind and its value. A text without a kind is an outline, by name or by file.
    private static func head(_ text: String) throws(InvalidValue) -> (LayerKind, String) {
        let parts = text.halves(at: ":")
        guard parts.count == 2, !parts[0].contains("/") else { return (.outline, text) }
        let word = FixedText.trimmed(parts[0])
        if let kind = LayerKind(word: word) { return (kind, parts[1]) }
        let kinds = LayerKind.allCases.map(\.rawValue)
        let near = Spelling.nearest(to: word, among: kinds).map { "did you mean \($0)?" }
        throw InvalidValue(
            "\(word.quoted) is not a kind of layer", advice: near ?? "use one of \(kinds.joined(separator: ", "))")
    }

    private static func pair(_ text: String, at place: TextPlace?) throws(InvalidValue) -> SettingInput.Pair {
        let parts = text.halves(at: "=")
        guard parts.count == 2 else {
            throw InvalidValue("\(text.quoted) is not key=value", advice: "write it as color=orange", at: place)
        }
        return SettingInput.Pair(
            key: SourcedText(text: parts[0], place: place), value: SourcedText(text: parts[1], place: place))
    }
}

extension String {
    /// Splits at the first mark, even if a combining character follows it. Returns the whole text if there is no mark.
    fileprivate func halves(at mark: Unicode.Scalar) -> [String] {
        unicodeScalars.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    }
}
