// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The keys and values of a mapping.
package struct SectionKeys {
    package let entries: [(key: SourcedText, value: YAMLNode)]

    /// - Parameter owner: The key of the mapping, for errors.
    /// - Throws: If the value is no mapping, a key is no text, or a key appears twice.
    package init(_ node: YAMLNode, of owner: SourcedText) throws(InvalidValue) {
        guard case .mapping(let pairs, _) = node else {
            // A key without a value is an empty mapping.
            if case .scalar(let text) = node, text.text.isEmpty, !text.isQuoted {
                entries = []
                return
            }
            throw InvalidValue("\(owner.text): is not a section", advice: "write key: value below it", at: node.place)
        }
        var (entries, lines): ([(SourcedText, YAMLNode)], [String: Int]) = ([], [:])
        for pair in pairs {
            guard case .scalar(let key) = pair.key else {
                throw InvalidValue("a list cannot be a key", advice: "write key: value", at: pair.key.place)
            }
            if let line = lines[key.text] { throw .twice(key.text, first: line, at: key.place) }
            lines[key.text] = key.place?.line
            entries.append((key, pair.value))
        }
        self.entries = entries
    }
}

extension InvalidValue {
    /// Creates the error of an unknown key, with the nearest known key as its advice.
    package static func unknownKey(_ key: String, among keys: [String]) -> InvalidValue {
        let near = Spelling.nearest(to: key, among: keys)
        return InvalidValue("unknown key \(key.quoted)", advice: near.map { "did you mean \($0.quoted)?" })
    }
}
