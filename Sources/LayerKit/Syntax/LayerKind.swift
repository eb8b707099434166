// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// The kinds of layers, by the words for them in presets and options.
enum LayerKind: String, CaseIterable {
    case outline, text, ghost, grid, dim, image, letterbox

    init?(word: String) { self.init(rawValue: word.lowercased()) }

    /// The attributes that a layer of this kind can have.
    var attributes: Set<LayerAttribute> {
        let placement: Set<LayerAttribute> = [.position, .anchor, .size, .margin]
        let lines: Set<LayerAttribute> = [.color, .stroke, .halo, .haloColor]
        let all: Set<LayerAttribute> = [.name, .opacity]
        return switch self {
        case .outline: all.union(placement).union(lines)
        case .text: all.union(placement).union([.color, .halo, .haloColor, .font, .background])
        case .ghost: all
        case .grid: all.union(lines)
        case .dim: all.union(placement).union([.color])
        case .image: all.union(placement).union([.color])
        case .letterbox: all.union([.color])
        }
    }

    /// Parses the value of the kind.
    func content(_ text: String) throws(InvalidValue) -> UnresolvedLayer.Content {
        switch self {
        case .outline: .outline(try LayerValue.line(text))
        case .text: .text(TextTemplate(try LayerValue.lines(text)))
        case .ghost: .ghost(try LayerValue.line(text))
        case .grid: .grid(try LayerValue.grid(text))
        case .dim: .dim(outside: try LayerValue.line(text))
        case .image: .image(try LayerValue.line(text))
        case .letterbox: .letterbox(aspect: try LayerValue.aspect(text))
        }
    }

    /// An example of such a layer, for advice.
    var example: String {
        switch self {
        case .outline: "outline:face"
        case .text: "text:%H:%M"
        case .ghost: "ghost:before.jpg"
        case .grid: "grid:thirds"
        case .dim: "dim:face"
        case .image: "image:logo.png"
        case .letterbox: "letterbox:16:9"
        }
    }
}
