// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A layer in its parts, whether a text or a mapping of a preset had them.
struct LayerEntry {
    /// What is drawn.
    let kind: LayerKind
    /// What follows the kind.
    let value: Written
    /// What else is said of it.
    let attributes: [SettingInput.Pair]

    /// Makes a layer of the parts.
    func layer() throws(InvalidValue) -> WrittenLayer {
        var layer = WrittenLayer(try SettingSyntax<String>.read(value, with: kind.content))
        layer.place = value.place
        var known: Set<LayerAttribute> = []
        for pair in attributes {
            let attribute = try Self.attribute(pair.key, LayerAttribute.allCases)
            guard kind.attributes.contains(attribute) else {
                throw InvalidValue("\(kind.rawValue) takes no \(attribute.rawValue)", at: pair.key.place)
            }
            guard known.insert(attribute).inserted else {
                throw InvalidValue("\(attribute.rawValue) is here twice", advice: "remove one", at: pair.key.place)
            }
            try attribute.read(pair.value) { text throws(InvalidValue) in try attribute.read(text, into: &layer) }
        }
        return layer
    }

    /// Finds the attribute that a key stands for; an error is at its place.
    static func attribute(_ key: Written, _ known: [LayerAttribute]) throws(InvalidValue) -> LayerAttribute {
        do throws(InvalidValue) {
            return try LayerAttribute.named(FixedText.trimmed(key.text), among: known)
        } catch {
            throw error.at(key.place)
        }
    }
}

extension LayerAttribute {
    /// Reads a value; an error names this attribute, and is at its place.
    func read(_ value: Written, with read: (String) throws(InvalidValue) -> Void) throws(InvalidValue) {
        do throws(InvalidValue) {
            try SettingSyntax<String>.read(value, with: read)
        } catch {
            throw InvalidValue("\(rawValue): \(error.message)", advice: error.advice, at: error.place)
        }
    }
}
