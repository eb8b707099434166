// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An element of an XML file, with the offsets of its bytes.
struct XMLElement: Sendable {
    let name: XMLName
    let attributes: [XMLAttribute]
    /// The namespaces that this element declares.
    let declarations: [XMLBinding]
    /// The bytes from `<` to `>`.
    let startTag: Range<Int>
    /// The bytes between the start tag and the end tag; `nil` for an element such as `<a/>`.
    private(set) var content: Range<Int>?
    /// All bytes, from the start tag to the end tag.
    private(set) var range: Range<Int>
    private(set) var children: [XMLElement] = []

    init(_ name: XMLName, _ attributes: [XMLAttribute], _ declarations: [XMLBinding], _ startTag: Range<Int>) {
        (self.name, self.attributes, self.declarations) = (name, attributes, declarations)
        (self.startTag, range) = (startTag, startTag)
    }

    mutating func append(_ child: XMLElement) { children.append(child) }

    /// Ends the element with an end tag.
    mutating func close(_ endTag: Range<Int>) {
        content = startTag.upperBound..<endTag.lowerBound
        range = startTag.lowerBound..<endTag.upperBound
    }

    func attribute(_ namespace: XMPNamespace, _ local: String) -> XMLAttribute? {
        attributes.first { $0.name.matches(namespace, local) }
    }
}

/// The name of an element or attribute. Names are compared by namespace, as files may use any prefix.
struct XMLName: Sendable {
    /// The prefix; empty for a name without one.
    let prefix: String
    let local: String
    /// The bytes of the name.
    let range: Range<Int>
    /// The namespace; `nil` for foreign ones, before the name is resolved, and for attributes without prefix.
    var namespace: XMPNamespace?

    func matches(_ namespace: XMPNamespace, _ local: String) -> Bool {
        self.namespace == namespace && self.local == local
    }
}

/// An attribute that declares no namespace.
struct XMLAttribute: Sendable {
    var name: XMLName
    /// The bytes from the name to the closing quote.
    let range: Range<Int>
    /// The bytes between the quotes.
    let value: Range<Int>
}

/// The declaration of a prefix, or of the default namespace, whose prefix is empty.
struct XMLBinding: Sendable {
    let prefix: String
    /// The namespace; `nil` for a foreign one.
    let namespace: XMPNamespace?
}

/// A reason why a sidecar cannot be used, without its path.
struct XMLFault: Error {
    enum Kind {
        /// The file is not well-formed XML, or contradicts itself.
        case damaged
        /// The file may be valid, but this program cannot edit it.
        case unsupported
    }

    let kind: Kind
    let message: String
    let advice: String
    /// The offset of the byte at fault; `nil` if the whole file is at fault.
    let offset: Int?

    static func damaged(_ message: String, at offset: Int? = nil) -> XMLFault {
        XMLFault(
            kind: .damaged, message: message, advice: "repair it, or move it away; it was not changed", offset: offset)
    }

    static func unsupported(_ message: String, advice: String, at offset: Int? = nil) -> XMLFault {
        XMLFault(kind: .unsupported, message: message, advice: advice, offset: offset)
    }
}
