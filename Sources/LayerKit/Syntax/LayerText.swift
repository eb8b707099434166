// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The parts of one layer's text, without the backslashes before commas and semicolons.
struct LayerText {
    /// The kind and its value.
    let head: String
    /// The text after each semicolon.
    let attributes: [String]

    private typealias Scalars = Substring.UnicodeScalarView

    /// Splits a text at its commas. A text layer extends to the end.
    static func split(_ text: String) throws(InvalidValue) -> [LayerText] {
        guard text.utf8.count <= mostBytes else { throw InvalidValue("is longer than \(mostBytes) bytes") }
        var (layers, rest): ([LayerText], Scalars?) = ([], text[...].unicodeScalars)
        while let next = rest {
            guard layers.count < LayerSyntax.mostLayers else {
                throw InvalidValue("has more than \(LayerSyntax.mostLayers) layers")
            }
            let isText = isText(next)
            let end = isText ? nil : layerEnd(in: next)
            layers.append(LayerText(end.map { next[..<$0] } ?? next, isText: isText))
            rest = end.map { next[next.index(after: $0)...] }
        }
        return layers
    }

    private static let mostBytes = 16384

    private init(_ scalars: Scalars, isText: Bool) {
        var parts = Self.marks(";", in: scalars).makeIterator()
        var (pieces, start): ([String], _) = ([], scalars.startIndex)
        while let mark = parts.next() {
            let next = scalars.index(after: mark)
            // In a text layer, a semicolon is part of the text unless a key follows.
            if isText, pieces.isEmpty, !Self.beginsWithKey(scalars[next...]) { continue }
            pieces.append(Self.unescaped(scalars[start..<mark]))
            start = next
        }
        pieces.append(Self.unescaped(scalars[start...]))
        (head, attributes) = (pieces[0], Array(pieces.dropFirst()))
    }
}

extension LayerText {
    private static func isText(_ scalars: Scalars) -> Bool {
        let word = String(scalars.prefix { $0 != ":" })
        return word.unicodeScalars.count < scalars.count && LayerKind(word: FixedText.trimmed(word)) == .text
    }

    private static func beginsWithKey(_ scalars: Scalars) -> Bool {
        let word = String(scalars.prefix { $0 != "=" && $0 != ";" })
        let isKey = LayerAttribute(key: FixedText.trimmed(word)) != nil
        return isKey && scalars.dropFirst(word.unicodeScalars.count).first == "="
    }

    /// Returns the comma that ends the first layer; `nil` if there is none. The comma between the two numbers of a
    /// point does not end it.
    private static func layerEnd(in scalars: Scalars) -> Scalars.Index? {
        let commas = marks(",", in: scalars)
        for (number, comma) in commas.enumerated() {
            let next = number + 1 < commas.count ? commas[number + 1] : scalars.endIndex
            let behind = scalars[scalars.index(after: comma)..<next].prefix { $0 != ";" }
            let start = scalars[..<comma].lastIndex(of: ";").map { scalars.index(after: $0) } ?? scalars.startIndex
            if !isPoint(String(scalars[start..<comma]), String(behind)) { return comma }
        }
        return nil
    }

    /// Returns `true` for the two halves of a point, such as `position=10%` and `20%`.
    private static func isPoint(_ attribute: String, _ behind: String) -> Bool {
        let parts = attribute.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let key = LayerAttribute(key: FixedText.trimmed(String(parts[0]))) else { return false }
        let coordinates = [parts[1][...], behind[...]].compactMap { LayerValue.coordinate($0) }
        return [.position, .anchor].contains(key) && coordinates.count == 2
    }

    /// Returns the indices of a mark that is not escaped by a backslash.
    private static func marks(_ mark: Unicode.Scalar, in scalars: Scalars) -> [Scalars.Index] {
        var (marks, isEscaped): ([Scalars.Index], _) = ([], false)
        for index in scalars.indices {
            if scalars[index] == mark, !isEscaped { marks.append(index) }
            isEscaped = scalars[index] == "\\"
        }
        return marks
    }

    private static func unescaped(_ scalars: Scalars) -> String {
        String(scalars).replacing("\\,", with: ",").replacing("\\;", with: ";")
    }
}
