// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Parses a small XML 1.0 file with namespaces, in UTF-8, and finds the offsets of its elements.
///
/// GLib's parser reports lines and characters, and the editor needs bytes. This one therefore checks and locates in one
/// pass. It refuses a DOCTYPE, so that there are no entities to expand and nothing external to load, and it limits
/// depth, elements and namespaces. It accepts any character outside of ASCII in names, as it only compares names.
struct XMLReader {
    private static let mostLevels = 64
    /// The maximum number of elements and attributes. A sidecar with a long history of edits has a few thousand.
    private static let mostNodes = 50_000
    /// The maximum number of declarations that apply to an element.
    private static let mostBindings = 256

    private let bytes: [UInt8]
    private var position = 0
    /// The elements whose end tag is to come, each with the number of bindings outside of it.
    private var open: [(element: XMLElement, outerBindings: Int)] = []
    private var bindings: [XMLBinding] = []
    private var nodes = 0
    private var root: XMLElement?

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the root element of a file.
    static func root(of bytes: [UInt8]) throws(XMLFault) -> XMLElement {
        try XMLText.checkEncoding(bytes)
        var reader = XMLReader(bytes)
        return try reader.document()
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private mutating func document() throws(XMLFault) -> XMLElement {
        if bytes.starts(with: Self.byteOrderMark) { position = Self.byteOrderMark.count }
        if isAt("<?xml"), bytes.count > position + 5, bytes[position + 5].isXMLSpace { try declaration() }
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                try text()
            } else if isAt("</") {
                try endTag()
            } else if isAt("<!--") {
                try comment()
            } else if isAt("<?") {
                try instruction()
            } else if isAt(XMLText.cdata.start) {
                if open.isEmpty { throw .damaged("text is outside of the root element", at: position) }
                try skip(past: XMLText.cdata.end, from: position)
            } else if isAt("<!DOCTYPE") {
                throw .unsupported("has a DOCTYPE", advice: "remove the DOCTYPE", at: position)
            } else {
                try startTag()
            }
        }
        if let last = open.last {
            throw .damaged("the file ends inside the element that begins here", at: last.element.startTag.lowerBound)
        }
        guard let root else { throw .damaged("contains no XML element") }
        return root
    }

    // MARK: Markup without elements

    /// `<?xml version="1.0" encoding="UTF-8"?>`
    private mutating func declaration() throws(XMLFault) {
        let start = position
        position += 5
        while skipSpace(), !isAt("?>") {
            let (name, value) = try attribute()
            switch (name.local, XMLText.decoded(bytes, value).lowercased()) {
            case ("version", "1.0"), ("encoding", "utf-8"), ("encoding", "utf8"), ("standalone", _): break
            case ("encoding", _):
                throw .unsupported("declares an encoding that is not UTF-8", advice: "save it as UTF-8", at: start)
            case ("version", _):
                throw .unsupported("is not XML 1.0", advice: "save it as XML 1.0", at: start)
            default: throw .damaged("the XML declaration is invalid", at: start)
            }
        }
        guard isAt("?>") else { throw .damaged("the XML declaration is invalid", at: start) }
        position += 2
    }

    private mutating func text() throws(XMLFault) {
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            let byte = bytes[position]
            if open.isEmpty && !byte.isXMLSpace { throw .damaged("text is outside of the root element", at: position) }
            if byte == UInt8(ascii: "&") {
                try reference()
            } else if byte == UInt8(ascii: "]"), isAt(XMLText.cdata.end) {
                throw .damaged("]]> is outside of CDATA", at: position)
            } else {
                position += 1
            }
        }
    }

    private mutating func reference() throws(XMLFault) {
        guard let reference = XMLText.reference(bytes, at: position) else {
            throw .damaged("& begins no character reference or entity of XML", at: position)
        }
        position = reference.end
    }

    private mutating func comment() throws(XMLFault) {
        let start = position
        try skip(past: "--", from: start + 4)
        guard position < bytes.count, bytes[position] == UInt8(ascii: ">") else {
            throw .damaged("a comment contains --", at: start)
        }
        position += 1
    }

    private mutating func instruction() throws(XMLFault) {
        let start = position
        position += 2
        let name = try name()
        let isEnd = isAt("?>") || position < bytes.count && bytes[position].isXMLSpace
        guard isEnd, name.prefix.isEmpty, name.local.lowercased() != "xml" else {
            throw .damaged("a processing instruction has an invalid name", at: start)
        }
        try skip(past: "?>", from: position)
    }

    // MARK: Elements

    private mutating func startTag() throws(XMLFault) {
        let start = position
        position += 1
        var name = try name()
        var attributes: [XMLAttribute] = []
        var declarations: [XMLBinding] = []
        var names: Set<String> = []
        while true {
            let isSeparated = skipSpace()
            if isAt(">") || isAt("/>") { break }
            guard isSeparated || position == bytes.count else {
                throw .damaged("a tag lacks a space before an attribute", at: position)
            }
            let (name, value) = try attribute()
            guard names.insert(String(decoding: bytes[name.range], as: UTF8.self)).inserted else {
                throw .damaged("an attribute appears twice in one tag", at: name.range.lowerBound)
            }
            try count(at: name.range.lowerBound)
            if name.prefix == "xmlns" || name.prefix.isEmpty && name.local == "xmlns" {
                if let binding = try binding(name, value) { declarations.append(binding) }
            } else {
                attributes.append(XMLAttribute(name: name, range: name.range.lowerBound..<position, value: value))
            }
        }
        try count(at: start)
        let isEmpty = isAt("/>")
        position += isEmpty ? 2 : 1
        let outer = bindings.count
        bindings += declarations
        guard bindings.count <= Self.mostBindings, open.count < Self.mostLevels else {
            throw Self.tooComplex(at: start)
        }
        name.namespace = try namespace(of: name)
        for index in attributes.indices where !attributes[index].name.prefix.isEmpty {
            attributes[index].name.namespace = try namespace(of: attributes[index].name)
        }
        let element = XMLElement(name, attributes, declarations, start..<position)
        if isEmpty {
            bindings.removeLast(bindings.count - outer)
            try add(element)
        } else {
            open.append((element, outer))
        }
    }

    private mutating func endTag() throws(XMLFault) {
        let start = position
        position += 2
        let name = try name()
        skipSpace()
        guard isAt(">") else { throw .damaged("an end tag does not end with >", at: start) }
        position += 1
        guard let (startElement, outer) = open.popLast(), bytes[startElement.name.range] == bytes[name.range] else {
            throw .damaged("an end tag does not match its start tag", at: start)
        }
        var element = startElement
        element.close(start..<position)
        bindings.removeLast(bindings.count - outer)
        try add(element)
    }

    private mutating func add(_ element: XMLElement) throws(XMLFault) {
        if !open.isEmpty {
            open[open.count - 1].element.append(element)
        } else if root == nil {
            root = element
        } else {
            throw .damaged("a second root element begins here", at: element.startTag.lowerBound)
        }
    }

    private mutating func count(at offset: Int) throws(XMLFault) {
        nodes += 1
        if nodes > Self.mostNodes { throw Self.tooComplex(at: offset) }
    }

    private static func tooComplex(at offset: Int) -> XMLFault {
        .unsupported(
            "has too many elements, levels or namespaces", advice: "shorten it with the program that wrote it",
            at: offset)
    }

    // MARK: Names and attributes

    private mutating func attribute() throws(XMLFault) -> (XMLName, value: Range<Int>) {
        let name = try name()
        skipSpace()
        guard isAt("=") else { throw .damaged("an attribute has no value", at: name.range.lowerBound) }
        position += 1
        skipSpace()
        guard isAt("\"") || isAt("'") else { throw .damaged("the value of an attribute is not quoted", at: position) }
        let (quote, start) = (bytes[position], position + 1)
        position = start
        while position < bytes.count, bytes[position] != quote {
            if bytes[position] == UInt8(ascii: "&") {
                try reference()
            } else if bytes[position] == UInt8(ascii: "<") {
                throw .damaged("the value of an attribute contains <", at: position)
            } else {
                position += 1
            }
        }
        guard position < bytes.count else { throw .damaged("the file ends inside the attribute here", at: start) }
        position += 1
        return (name, start..<position - 1)
    }

    private mutating func name() throws(XMLFault) -> XMLName {
        let start = position
        var local = start
        while position < bytes.count, bytes[position].isNamePart {
            position += 1
            if local == start, bytes[position - 1] == UInt8(ascii: ":") { local = position }
        }
        // Neither part may be empty, begin with a digit, or contain a second colon.
        guard local < position, bytes[start].isNameStart, bytes[local].isNameStart,
            !bytes[local..<position].contains(UInt8(ascii: ":"))
        else {
            throw .damaged(position < bytes.count ? "a name is invalid" : "the file ends inside a tag", at: start)
        }
        return XMLName(
            prefix: String(decoding: bytes[start..<max(start, local - 1)], as: UTF8.self),
            local: String(decoding: bytes[local..<position], as: UTF8.self), range: start..<position)
    }

    /// Returns the declaration of a namespace; `nil` for the one of the prefix `xml`, which always applies.
    private func binding(_ name: XMLName, _ value: Range<Int>) throws(XMLFault) -> XMLBinding? {
        let prefix = name.prefix.isEmpty ? "" : name.local
        let uri = XMLText.decoded(bytes, value)
        let isXML = uri == XMPNamespace.xml.rawValue
        guard prefix != "xmlns", (prefix == "xml") == isXML, prefix.isEmpty || !uri.isEmpty else {
            throw .damaged("the declaration of a namespace is invalid", at: name.range.lowerBound)
        }
        return isXML ? nil : XMLBinding(prefix: prefix, namespace: XMPNamespace(rawValue: uri))
    }

    private func namespace(of name: XMLName) throws(XMLFault) -> XMPNamespace? {
        if let binding = bindings.last(where: { $0.prefix == name.prefix }) { return binding.namespace }
        if name.prefix == XMPNamespace.xml.prefix { return .xml }
        if name.prefix.isEmpty { return nil }
        throw .damaged("the prefix of a name has no namespace", at: name.range.lowerBound)
    }

    // MARK: Bytes

    private func isAt(_ text: String) -> Bool { bytes.has(text, at: position) }

    /// Skips whitespace, and returns `true` if there was any.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isXMLSpace { position += 1 }
        return position > start
    }

    private mutating func skip(past end: String, from start: Int) throws(XMLFault) {
        guard let found = bytes.offset(of: end, from: start) else {
            throw .damaged("the file ends inside the markup that begins here", at: position)
        }
        position = found + end.utf8.count
    }
}

extension UInt8 {
    fileprivate var isNameStart: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 && self < 0x80 || self == UInt8(ascii: "_") || self >= 0x80
    }

    fileprivate var isNamePart: Bool {
        isNameStart || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: ":")
    }
}
