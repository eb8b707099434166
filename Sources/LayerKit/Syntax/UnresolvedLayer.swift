// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// A layer as a preset, a variable or an option writes it. Its outlines and files are not resolved yet.
public struct UnresolvedLayer: Sendable, Hashable {
    /// The content of a layer; outlines and files as written.
    public enum Content: Sendable, Hashable {
        /// The name or the path of an outline.
        case outline(String)
        /// Text with `strftime(3)` conversions and placeholders.
        case text(TextTemplate)
        /// The path of an earlier picture.
        case ghost(String)
        /// Lines that help to compose a picture.
        case grid(Grid)
        /// The name or the path of the outline that stays bright.
        case dim(outside: String)
        /// The path of a picture.
        case image(String)
        /// Bars that leave a field of this aspect ratio (width divided by height).
        case letterbox(aspect: Double)
    }

    /// The layer's own name; `nil` if the user gave none.
    public var name: String?
    /// The content to draw.
    public var content: Content
    /// The position and the size.
    public var placement = Placement()
    /// The color, the line width and so on.
    public var style = Style()
    /// The layer's place in a file; `nil` if it is not from a file.
    package var place: TextPlace?
    /// The origin that errors name: `--overlay`, or `p.yaml:3:5: overlay`.
    package var origin = ""

    /// Creates a layer with an empty placement and an empty style.
    public init(_ content: Content) { self.content = content }

    /// The text of an entry that is a single word or path, which can be the name of another layer; `nil` for other
    /// entries.
    package var bareText: String? {
        guard case .outline(let text) = content, name == nil, placement == Placement(), style == Style() else {
            return nil
        }
        return text
    }
}

// Equality ignores the place and the origin.
extension UnresolvedLayer {
    /// Returns `true` if both layers draw the same.
    public static func == (first: UnresolvedLayer, second: UnresolvedLayer) -> Bool {
        first.name == second.name && first.content == second.content && first.placement == second.placement
            && first.style == second.style
    }

    /// Hashes the properties that count for equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(content)
        hasher.combine(placement)
        hasher.combine(style)
    }
}
