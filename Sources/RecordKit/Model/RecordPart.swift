// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A part of a record that changes as a whole: a field or a side. Merges and faults name it.
public enum RecordPart: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// A field, by its name.
    case field(String)
    /// A side, by its name.
    case side(String)

    /// The part as text: `field:name`, `side:front`.
    public var description: String {
        switch self {
        case .field(let name): "field:\(name)"
        case .side(let name): "side:\(name)"
        }
    }

    /// Reads a part; `nil` if the text is none.
    public init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text.index(after: colon) < text.endIndex else { return nil }
        let name = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "field": self = .field(name)
        case "side": self = .side(name)
        default: return nil
        }
    }

    /// The name of the field or side.
    public var name: String {
        switch self {
        case .field(let name), .side(let name): name
        }
    }
}

/// The value of a part.
public enum RecordValue: Sendable, Hashable {
    /// The text of a field.
    case text(String)
    /// The picture of a side.
    case picture(RecordPicture)
}

extension RecordContent {
    /// The value of a part; `nil` if it is empty. A value of the wrong type is ignored.
    public subscript(_ part: RecordPart) -> RecordValue? {
        get {
            switch part {
            case .field(let name): values[name].map(RecordValue.text)
            case .side(let name): sides[name].map(RecordValue.picture)
            }
        }
        set {
            switch (part, newValue) {
            case (.field(let name), .text(let text)): values[name] = text
            case (.field(let name), nil): values[name] = nil
            case (.side(let name), .picture(let picture)): sides[name] = picture
            case (.side(let name), nil): sides[name] = nil
            default: break
            }
        }
    }

    /// The parts that are not empty.
    public var parts: Set<RecordPart> {
        Set(values.keys.map(RecordPart.field)).union(sides.keys.map(RecordPart.side))
    }
}
