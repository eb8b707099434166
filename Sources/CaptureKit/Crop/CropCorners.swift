// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What becomes of a crop outside of the outline's shape, such as the rounded corners of a card.
public enum CropCorners: Sendable, Hashable {
    /// The crop is a rectangle, and all of it is picture.
    case square
    /// Outside of the shape the crop is of this colour.
    case rounded(ground: Color)
    /// Outside of the shape the crop is clear: in a PNG, for a JPEG knows no such thing.
    case masked
}

extension CropCorners {
    /// The words that ``init(_:ground:)`` takes.
    public static let words = ["square", "rounded", "masked"]

    /// Reads what somebody wrote.
    ///
    /// - Parameters:
    ///   - word: One of ``words``.
    ///   - ground: A colour, as layers have them: `white`, `#20304f`.
    /// - Throws: ``CaptureError`` `.usage` with what can be written.
    public init(_ word: String, ground: String = "white") throws(CaptureError) {
        switch word.lowercased() {
        case "square": self = .square
        case "masked": self = .masked
        case "rounded":
            do throws(InvalidValue) {
                self = .rounded(ground: try Color(parsing: ground))
            } catch {
                throw CaptureError(.usage, error, subject: "ground")
            }
        default:
            throw CaptureError(
                .usage, "\(word.quoted) are no corners", subject: "corners", advice: "give \(Self.words.alternatives)")
        }
    }

    /// Looks whether a format can show them.
    func check(_ format: StillFormat) throws(CaptureError) {
        guard self == .masked, format == .jpeg else { return }
        throw CaptureError(
            .usage, "masked corners are clear, and a JPEG has no clear pixels", subject: "corners",
            advice: "use the format png, or rounded corners")
    }
}
