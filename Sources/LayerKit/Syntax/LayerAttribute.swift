// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// The attributes of a layer, besides its kind and content, by their keys.
enum LayerAttribute: String, CaseIterable {
    case name, position, anchor, size, margin, color, stroke, halo, opacity, font, background
    case haloColor = "halo-color"

    /// The attributes that an overlay's appearance can have, too.
    static let appearance: [LayerAttribute] = [
        .color, .stroke, .opacity, .font, .halo, .haloColor, .background,
    ]

    /// Finds the attribute of a key, in either spelling of color.
    init?(key: String) { self.init(rawValue: key.lowercased().replacing("colour", with: "color")) }

    /// Finds the attribute of a key among those that are allowed.
    ///
    /// - Throws: ``InvalidValue`` with the nearest key if there is none.
    static func named(_ key: String, among known: [LayerAttribute]) throws(InvalidValue) -> LayerAttribute {
        if let attribute = LayerAttribute(key: key), known.contains(attribute) { return attribute }
        let words = known.map(\.rawValue).sorted()
        let near = Spelling.nearest(to: key, among: words).map { "did you mean \($0)?" }
        throw InvalidValue("unknown key \(key.quoted)", advice: near ?? "use one of \(words.joined(separator: ", "))")
    }

    /// Parses a value and sets it in a layer.
    func read(_ text: String, into layer: inout UnresolvedLayer) throws(InvalidValue) {
        switch self {
        case .name: layer.name = try LayerValue.name(text)
        case .position: layer.placement.position = try LayerValue.point(text)
        case .anchor: layer.placement.anchor = try LayerValue.point(text)
        case .size: layer.placement.size = try LayerValue.size(text)
        case .margin: layer.placement.margin = try LayerValue.length(text)
        default: try read(text, into: &layer.style)
        }
    }

    /// Parses a value and sets it in a style. Attributes that are not part of a style are ignored.
    func read(_ text: String, into style: inout Style) throws(InvalidValue) {
        switch self {
        case .color: style.color = try Color(parsing: text)
        case .stroke: style.stroke = try LayerValue.length(text)
        case .halo: style.halo = try LayerValue.length(text)
        case .haloColor: style.haloColor = try Color(parsing: text)
        case .opacity: style.opacity = try LayerValue.opacity(text)
        case .font: style.font = try LayerValue.name(text)
        case .background: style.background = try Color(parsing: text)
        case .name, .position, .anchor, .size, .margin: break
        }
    }
}
