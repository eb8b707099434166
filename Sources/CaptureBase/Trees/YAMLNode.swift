// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A value of a YAML file, down to the parser's maximum depth. Scalars keep their text: "no" does not become false.
package indirect enum YAMLNode: Sendable {
    case scalar(SourcedText)
    case sequence([YAMLNode], TextPlace)
    case mapping([Pair], TextPlace)
    /// A list or mapping at the maximum depth, without its content.
    case deeper(TextPlace)

    /// A key and its value.
    package struct Pair: Sendable {
        package let key: YAMLNode
        package let value: YAMLNode
    }

    /// The place in the file.
    package var place: TextPlace? {
        switch self {
        case .scalar(let sourced): sourced.place
        case .sequence(_, let place), .mapping(_, let place), .deeper(let place): place
        }
    }

    /// The text of a scalar; `nil` for other values.
    package var text: String? {
        if case .scalar(let sourced) = self { sourced.text } else { nil }
    }

    /// The value as the input of a setting.
    package var input: SettingInput {
        get throws(InvalidValue) {
            guard case .sequence(let nodes, let place) = self else { return try item }
            var items: [SettingInput] = []
            for node in nodes { items.append(try node.item) }
            return .list(items, place)
        }
    }

    /// An entry of a list: a mapping or a text.
    private var item: SettingInput {
        get throws(InvalidValue) {
            guard case .mapping(let pairs, let place) = self else { return .text(try sourced) }
            var inputs: [SettingInput.Pair] = []
            for pair in pairs {
                inputs.append(SettingInput.Pair(key: try pair.key.sourced, value: try pair.value.sourced))
            }
            return .mapping(inputs, place)
        }
    }

    private var sourced: SourcedText {
        get throws(InvalidValue) {
            if case .scalar(let sourced) = self { return sourced }
            throw InvalidValue("a list cannot be inside of another", advice: "write a single value", at: place)
        }
    }
}
