// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LayerKit
import OverlayCompositor
import StillKit

/// The treatment of pixels outside of the outline's shape, such as the rounded corners of a card.
public enum CropCorners: Sendable, Hashable {
    /// The crop is a rectangle, filled by the picture. In a JPEG, transparent pixels of the picture become black.
    case square
    /// Pixels outside of the shape, and transparent pixels of the picture, have this color.
    case rounded(ground: Color)
    /// Pixels outside of the shape are transparent: for PNG and WebP, since JPEG has no transparency.
    case masked
}

extension CropCorners {
    /// The words that ``init(_:ground:)`` accepts.
    public static let words = ["square", "rounded", "masked"]

    /// Parses a word from the user.
    ///
    /// - Parameters:
    ///   - word: One of ``words``.
    ///   - ground: A color in the syntax of layers: `white`, `#20304f`.
    /// - Throws: `CaptureError` `.usage` that lists the accepted words.
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
                .usage, "\(word.quoted) is not a corner style", subject: "corners",
                advice: "give \(Self.words.alternatives)")
        }
    }

    /// Checks that a format supports the corners: JPEG has no transparency.
    func check(_ format: StillFormat) throws(CaptureError) {
        guard self == .masked, !format.hasTransparency else { return }
        throw CaptureError(
            .usage, "masked corners are transparent, and JPEG has no transparency", subject: "corners",
            advice: "use the format png, or rounded corners")
    }

    /// Returns the color behind transparent pixels in a file of this format; `nil` if they stay transparent.
    func ground(in format: StillFormat) -> Color? {
        switch self {
        case .square: format.hasTransparency ? nil : Color.black
        case .rounded(let ground): ground
        case .masked: nil
        }
    }
}

extension StillFormat {
    /// `true` if a file of this format can have transparent pixels.
    var hasTransparency: Bool { self != .jpeg }
}
