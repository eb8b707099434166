// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What can be looked for in an outline, to tell whether its subject is there: the attribute `data-present` of an SVG's
/// root says it.
///
///     edges       the subject's edges lie on the closed shape: a card, a sheet, a plate
///     face        a face as wide as the closed shape
///     face 22%    a face so wide, as a part of the closed shape: that of a whole body
///     none        nothing: hands look like much else
///
/// Where nothing is said, as in a PNG, edges are looked for where the shape is a rectangle, and else nothing.
enum OutlinePresence: Sendable, Hashable {
    /// Edges along the closed shape.
    case edges
    /// A face, so wide as a part of the closed shape.
    case face(width: Double)
    /// Nothing can be looked for.
    case nothing

    /// The attribute.
    static let attribute = "data-present"

    /// What an SVG says; `nil` where it says nothing.
    ///
    /// - Throws: ``InvalidValue`` for a word that is not known.
    static func read(_ svg: [UInt8]) throws(InvalidValue) -> OutlinePresence? {
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
            "\(value.quoted) is nothing that can be present",
            advice: "give edges, face, face with a width (22%), or none")
    }
}
