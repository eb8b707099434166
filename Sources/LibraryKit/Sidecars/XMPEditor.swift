// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Changes one property of a sidecar, and keeps the bytes around it.
struct XMPEditor {
    private let bytes: [UInt8]
    private let outline: XMPOutline
    private var edits: [(range: Range<Int>, text: [UInt8])] = []

    init(_ bytes: [UInt8], _ outline: XMPOutline) { (self.bytes, self.outline) = (bytes, outline) }

    /// Returns the bytes with an empty `rdf:Description` at the end of `rdf:RDF`.
    func addingDescription() -> [UInt8] {
        var editor = self
        // Attributes have no default namespace, so `about` needs a prefix.
        let rdf = XMPQualifier(.rdf, in: outline.bindings(), isForAttribute: true)
        let element = "<\(rdf.of("Description"))\(rdf.declaration) \(rdf.of("about"))=\"\"/>"
        editor.insert(into: outline.rdf) { _ in element }
        return editor.result
    }

    /// Returns the bytes with another value of a property. There must be an `rdf:Description`.
    func setting(_ property: XMPProperty, _ values: SidecarValues) -> [UInt8] {
        var editor = self
        switch property {
        case .rating: editor.set(rating: values.rating)
        case .title: editor.set(title: values.title)
        case .subject: editor.set(tags: values.tags)
        case .tagsList: break
        }
        return editor.result
    }

    /// The bytes with all edits.
    private var result: [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += bytes[position..<edit.range.lowerBound]
            result += edit.text
            position = edit.range.upperBound
        }
        return result + bytes[position...]
    }

    private mutating func replace(_ range: Range<Int>, _ text: String) { edits.append((range, Array(text.utf8))) }

    // MARK: Properties

    private mutating func set(rating: Int?) {
        guard let rating else { return remove(.rating) }
        let form = outline[.rating]?.form
        if case .attribute(let attribute)? = form { return replace(attribute.value, "\(rating)") }
        if case .text(let element)? = form, let content = element.content { return replace(content, "\(rating)") }
        renew(.rating) { _ in [(0, "\(rating)")] }
    }

    private mutating func set(title: String?) {
        guard let title else { return remove(.title) }
        let text = XMLText.escaped(title)
        if case .list(_, let list)? = outline[.title]?.form, let first = list.items.first {
            let name = XMPQualifier(list.name).of("li")
            let item = "<\(name) xml:lang=\"x-default\">\(text)</\(name)>"
            if let content = list.defaultItem?.content { return replace(content, text) }
            if let old = list.defaultItem { return replace(old.range, item) }
            // The default language comes first (ISO 16684-1, language alternative).
            let place = first.range.lowerBound
            return replace(place..<place, item + lineBreak(before: place))
        }
        renew(.title) { rdf in
            let (list, item) = (rdf.of("Alt"), rdf.of("li"))
            return [
                (1, "<\(list)>"), (2, "<\(item) xml:lang=\"x-default\">\(text)</\(item)>"), (1, "</\(list)>"),
            ]
        }
    }

    private mutating func set(tags: [String]) {
        // Without dc:subject, the tags of digiKam would apply again. An empty list states that there are none.
        if tags.isEmpty && outline.lastNames.isEmpty { return remove(.subject) }
        if !tags.isEmpty, case .list(_, let list)? = outline[.subject]?.form, let last = list.items.last {
            return set(tags: tags, in: list, last)
        }
        renew(.subject) { rdf in
            let (list, item) = (rdf.of("Bag"), rdf.of("li"))
            if tags.isEmpty { return [(1, "<\(list)/>")] }
            let items = tags.map { (2, "<\(item)>\(XMLText.escaped($0))</\(item)>") }
            return [(1, "<\(list)>")] + items + [(1, "</\(list)>")]
        }
    }

    /// Sets the items of a list one by one, which keeps comments between them. A tag that moves to another place keeps
    /// the attributes of its item.
    private mutating func set(tags: [String], in list: XMPList, _ last: XMLElement) {
        let name = XMPQualifier(list.name).of("li")
        let texts = list.items.map(outline.text)
        let items = Dictionary(zip(texts, list.items)) { first, _ in first }
        let separator = lineBreak(before: last.range.lowerBound)
        var added: [UInt8] = []
        for (index, tag) in tags.enumerated() {
            let known = items[tag].map { Array(bytes[$0.range]) }
            let item = known ?? Array("<\(name)>\(XMLText.escaped(tag))</\(name)>".utf8)
            if index >= texts.count {
                added += separator.utf8 + item
            } else if texts[index] != tag {
                edits.append((list.items[index].range, item))
            }
        }
        if !added.isEmpty { edits.append((last.range.upperBound..<last.range.upperBound, added)) }
        for item in list.items.dropFirst(tags.count) { remove(item.range) }
    }

    // MARK: Elements

    private mutating func remove(_ property: XMPProperty) {
        switch outline[property]?.form {
        case .attribute(let attribute)?: remove(attribute: attribute)
        case .text(let element)?, .list(let element, _)?: remove(element.range)
        case nil: break
        }
    }

    private mutating func remove(attribute: XMLAttribute) {
        replace(whitespace(before: attribute.range.lowerBound).lowerBound..<attribute.range.upperBound, "")
    }

    /// Removes an element and the line break with the indentation before it.
    private mutating func remove(_ range: Range<Int>) {
        replace(range.lowerBound - lineBreak(before: range.lowerBound).utf8.count..<range.upperBound, "")
    }

    /// Replaces the element of a property, or inserts one.
    ///
    /// - Parameter content: Returns the lines in the element with their levels, for names of RDF with a prefix.
    private mutating func renew(
        _ property: XMPProperty, content: (_ rdf: XMPQualifier) -> [(level: Int, text: String)]
    ) {
        let old = outline[property]
        // exiftool, for one, has a description for each namespace.
        let known = outline.descriptions.first { description in
            XMPQualifier.prefix(of: property.namespace, in: outline.bindings(in: description)) != nil
        }
        guard let description = old?.description ?? known ?? outline.descriptions.first else { return }
        let bindings = outline.bindings(in: description)
        let name = XMPQualifier(property.namespace, in: bindings)
        let lines = content(XMPQualifier(.rdf, in: bindings))
        let (start, end) = ("<\(name.of(property.local))\(name.declaration)>", "</\(name.of(property.local))>")
        func text(_ lineBreak: String) -> String {
            if let line = lines.first, line.level == 0 { return start + line.text + end }
            let indent = lineBreak.isEmpty ? "" : lineBreak.hasSuffix("\t") ? "\t" : " "
            let inner = lines.map { lineBreak + String(repeating: indent, count: $0.level) + $0.text }.joined()
            return start + inner + lineBreak + end
        }
        switch old?.form {
        case .text(let element)?, .list(let element, _)?:
            return replace(element.range, text(lineBreak(before: element.range.lowerBound)))
        case .attribute(let attribute)?: remove(attribute: attribute)
        case nil: break
        }
        insert(into: description, text)
    }

    /// Inserts an element as the last child of another one, on its own line if the file has lines.
    private mutating func insert(into parent: XMLElement, _ child: (_ lineBreak: String) -> String) {
        let outer = lineBreak(before: parent.range.lowerBound)
        let inner = outer.isEmpty ? "" : outer + (outer.hasSuffix("\t") ? "\t" : " ")
        if let last = parent.children.last {
            let lineBreak = lineBreak(before: last.range.lowerBound)
            replace(last.range.upperBound..<last.range.upperBound, lineBreak + child(lineBreak))
        } else if let content = parent.content {
            let place = content.lowerBound
            replace(place..<place, inner + child(inner) + (content.isEmpty ? outer : ""))
        } else {
            let end = parent.startTag.upperBound
            let name = String(decoding: bytes[parent.name.range], as: UTF8.self)
            replace(end - 2..<end, ">" + inner + child(inner) + outer + "</\(name)>")
        }
    }

    // MARK: Whitespace

    /// The maximum indentation that is repeated: a hostile file may have one of a megabyte.
    private static let mostWhitespace = 256

    private func whitespace(before end: Int) -> Range<Int> {
        var start = end
        while start > 0, end - start < Self.mostWhitespace, bytes[start - 1].isXMLSpace { start -= 1 }
        return start..<end
    }

    /// Returns the line break and the indentation before an offset; nothing if other markup precedes it in its line.
    private func lineBreak(before end: Int) -> String {
        let space = bytes[whitespace(before: end)]
        guard var start = space.lastIndex(of: UInt8(ascii: "\n")) else { return "" }
        if start > space.startIndex, bytes[start - 1] == UInt8(ascii: "\r") { start -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
