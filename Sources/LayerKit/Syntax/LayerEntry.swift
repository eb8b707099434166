// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The parts of a layer's description, from a text or from a mapping in a preset.
struct LayerEntry {
    /// The kind of the layer.
    let kind: LayerKind
    /// The value of the kind.
    let value: SourcedText
    /// The keys and values of the attributes.
    let attributes: [SettingInput.Pair]

    /// Creates a layer from the parts.
    func layer() throws(InvalidValue) -> UnresolvedLayer {
        var layer = UnresolvedLayer(try SettingSyntax<String>.read(value, with: kind.content))
        layer.place = value.place
        var known: Set<LayerAttribute> = []
        for pair in attributes {
            let attribute = try Self.attribute(pair.key, LayerAttribute.allCases)
            guard kind.attributes.contains(attribute) else {
                throw InvalidValue("\(kind.rawValue) does not take \(attribute.rawValue)", at: pair.key.place)
            }
            guard known.insert(attribute).inserted else {
                throw InvalidValue("\(attribute.rawValue) appears twice", advice: "remove one", at: pair.key.place)
            }
            try attribute.read(pair.value) { text throws(InvalidValue) in try attribute.read(text, into: &layer) }
        }
        return layer
    }

    /// Finds the attribute of a key. An error has the key's place.
    static func attribute(_ key: SourcedText, _ known: [LayerAttribute]) throws(InvalidValue) -> LayerAttribute {
        do throws(InvalidValue) {
            return try LayerAttribute.named(FixedText.trimmed(key.text), among: known)
        } catch {
            throw error.at(key.place)
        }
    }
}

extension LayerAttribute {
    /// Reads a value. An error names this attribute and has the value's place.
    func read(_ value: SourcedText, with read: (String) throws(InvalidValue) -> Void) throws(InvalidValue) {
        do throws(InvalidValue) {
            try SettingSyntax<String>.read(value, with: read)
        } catch {
            throw InvalidValue("\(rawValue): \(error.message)", advice: error.advice, at: error.place)
        }
    }
}
