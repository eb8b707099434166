// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

extension SettingSyntax where Value == [UnresolvedLayer] {
    /// Layers of an overlay; see ``LayerSyntax``.
    package static var layers: Self {
        Self(list: "layer") { input throws(InvalidValue) in
            let layers = try InvalidValue.collecting(items(input)) { item throws(InvalidValue) in try Self.layers(item)
            }
            guard layers.count <= LayerSyntax.mostLayers else {
                throw InvalidValue("has more than \(LayerSyntax.mostLayers) layers")
            }
            return layers
        }
    }

    private static func layers(_ item: SettingInput) throws(InvalidValue) -> [UnresolvedLayer] {
        switch item {
        case .text(let sourced): try LayerSyntax.layers(sourced)
        case .mapping(let pairs, let place): [try LayerSyntax.layer(pairs, at: place)]
        case .list(_, let place): throw InvalidValue("a list cannot be inside of another", at: place)
        }
    }
}

extension SettingSyntax where Value == Style {
    /// The style of layers: a mapping in a preset, `key=value;key=value` elsewhere.
    package static var appearance: Self {
        Self(list: "key=value", merge: merged) { input throws(InvalidValue) in
            var style = Style()
            for item in items(input) {
                for pair in try pairs(item) { try read(pair, into: &style) }
            }
            return style
        }
    }

    private static var merged: @Sendable (Value, Value) -> Value {
        { upper, lower in upper.merging(over: lower) }
    }

    private static func read(_ pair: SettingInput.Pair, into style: inout Style) throws(InvalidValue) {
        let attribute = try LayerEntry.attribute(pair.key, LayerAttribute.appearance)
        try attribute.read(pair.value) { text throws(InvalidValue) in try attribute.read(text, into: &style) }
    }

    private static func pairs(_ item: SettingInput) throws(InvalidValue) -> [SettingInput.Pair] {
        switch item {
        case .text(let sourced): try LayerSyntax.pairs(sourced)
        case .mapping(let pairs, _): pairs
        case .list(_, let place): throw InvalidValue("a list cannot be inside of another", at: place)
        }
    }
}
