// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// How gates detect the subject of an outline, as the attribute `data-present` of the SVG's root defines it:
///
///     edges       the subject's edges lie on the closed shape: a card, a sheet, a plate
///     face        a face as wide as the closed shape
///     face 22%    a face of this width, as a part of the closed shape's: the face of a whole body
///     none        nothing: hands, for example, look like many other things
///
/// Without the attribute, as in a PNG, gates detect the edges of a rectangle, and nothing in any other shape.
package enum OutlinePresence: Sendable, Hashable {
    /// Edges along the closed shape.
    case edges
    /// A face of this width, as a part of the closed shape's.
    case face(width: Double)
    /// Nothing can be detected.
    case nothing

    /// The name of the attribute.
    package static let attribute = "data-present"

    /// Reads the attribute of an SVG; `nil` if it is missing.
    ///
    /// - Throws: ``InvalidValue`` if the value is unknown.
    package static func read(_ svg: [UInt8]) throws(InvalidValue) -> OutlinePresence? {
        guard let value = SVGRoot.attribute(attribute, in: svg) else { return nil }
        let words = value.split(separator: " ")
        switch (words.first, words.count) {
        case ("edges", 1): return .edges
        case ("none", 1): return .nothing
        case ("face", 1): return .face(width: 1)
        case ("face", 2):
            if let width = LayerValue.fraction(String(words[1])), width > 0, width <= 1 { return .face(width: width) }
        default: break
        }
        throw InvalidValue(
            "\(value.quoted) cannot be detected",
            advice: "give edges, face, face with a width (22%), or none")
    }
}
