// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// A layer as a preset, a variable or an option writes it: outlines and files are not looked for yet.
public struct WrittenLayer: Sendable, Hashable {
    /// What is drawn; outlines and files as they were written.
    public enum Content: Sendable, Hashable {
        /// The name or the file of an outline.
        case outline(String)
        /// Text with strftime's letters and placeholders.
        case text(TextTemplate)
        /// The file of an earlier picture.
        case ghost(String)
        /// Lines that help to compose.
        case grid(Grid)
        /// The name or the file of the outline that stays bright.
        case dim(outside: String)
        /// The file of a picture.
        case image(String)
        /// Bars that leave a field of this aspect, width through height.
        case letterbox(aspect: Double)
    }

    /// Its own name, if it was given one.
    public var name: String?
    /// What is drawn.
    public var content: Content
    /// Where, and how large.
    public var placement = Placement()
    /// In which colour and so on.
    public var style = Style()
    /// Where it was written, if that is a file.
    var place: TextPlace?
    /// What errors say it is from: `--overlay`, or `p.yaml:3:5: overlay`.
    var origin = ""

    /// Creates a layer with a placement and a style that say nothing.
    public init(_ content: Content) { self.content = content }

    /// The text of an entry that is a single word or path, as the name of another layer is.
    var bareText: String? {
        guard case .outline(let text) = content, name == nil, placement == Placement(), style == Style() else {
            return nil
        }
        return text
    }
}

// Where it was written is no difference.
extension WrittenLayer {
    /// True for layers that draw the same.
    public static func == (first: WrittenLayer, second: WrittenLayer) -> Bool {
        first.name == second.name && first.content == second.content && first.placement == second.placement
            && first.style == second.style
    }

    /// Hashes what is drawn.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(content)
        hasher.combine(placement)
        hasher.combine(style)
    }
}
