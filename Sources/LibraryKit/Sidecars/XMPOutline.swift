// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The places of the properties in a sidecar.
///
/// Only attributes and child elements of an `rdf:Description` in `rdf:RDF` describe the picture. Names such as
/// `xmp:Rating` at a deeper level belong to something else, such as the picture that this one was made of.
struct XMPOutline: Sendable {
    /// The form in which a file has a property.
    enum Form {
        case attribute(XMLAttribute)
        /// An element without child elements.
        case text(XMLElement)
        /// An element with a list.
        case list(XMLElement, XMPList)
    }

    /// A property in a file.
    struct Place {
        let form: Form
        /// The element `rdf:Description` that has it.
        let description: XMLElement
    }

    /// `rdf:RDF`.
    let rdf: XMLElement
    /// The elements `rdf:Description` in ``rdf``.
    let descriptions: [XMLElement]
    private let bytes: [UInt8]
    private let outerBindings: [XMLBinding]
    private var places: [XMPProperty: Place] = [:]

    /// Parses a file, and finds its properties.
    init(_ bytes: [UInt8]) throws(XMLFault) {
        let root = try XMLReader.root(of: bytes)
        let isWrapped = ["xmpmeta", "xapmeta"].contains { root.name.matches(.meta, $0) }
        let candidates = (isWrapped ? root.children : [root]).filter { $0.name.matches(.rdf, "RDF") }
        guard let rdf = candidates.first else {
            throw .unsupported("has no rdf:RDF, so it is not an XMP sidecar", advice: "move it away")
        }
        guard candidates.count == 1 else {
            throw .damaged("a second rdf:RDF begins here", at: candidates[1].range.lowerBound)
        }
        (self.bytes, self.rdf) = (bytes, rdf)
        descriptions = rdf.children.filter { $0.name.matches(.rdf, "Description") }
        outerBindings = (isWrapped ? root.declarations : []) + rdf.declarations
        for property in [XMPProperty.rating, .title, .subject] { places[property] = try place(of: property) }
        // The property is foreign. A form that is not known is no fault.
        places[.tagsList] = try? place(of: .tagsList)
    }

    /// The place of a property; `nil` if the file does not have it.
    subscript(property: XMPProperty) -> Place? { places[property] }

    /// Returns the declarations of namespaces that apply in an `rdf:Description`, or in ``rdf`` for `nil`.
    func bindings(in description: XMLElement? = nil) -> [XMLBinding] {
        outerBindings + (description?.declarations ?? [])
    }

    private func place(of property: XMPProperty) throws(XMLFault) -> Place? {
        var found: Place?
        for description in descriptions {
            for attribute in description.attributes where attribute.name.matches(property.namespace, property.local) {
                guard found == nil else { throw Self.twice(property, attribute.range) }
                found = Place(form: .attribute(attribute), description: description)
            }
            for element in description.children where element.name.matches(property.namespace, property.local) {
                guard found == nil else { throw Self.twice(property, element.range) }
                let list = try XMPList(property, element, bytes)
                let form = list.map { Form.list(element, $0) } ?? .text(element)
                found = Place(form: form, description: description)
            }
        }
        return found
    }

    /// Programs disagree on which of two values applies.
    private static func twice(_ property: XMPProperty, _ range: Range<Int>) -> XMLFault {
        .damaged("\(property.name) appears a second time", at: range.lowerBound)
    }

    // MARK: Values

    /// Returns the values of the file, cleaned.
    func values() throws(XMLFault) -> SidecarValues {
        let tags = places[.subject] == nil ? lastNames : texts(of: .subject)
        let values = SidecarValues(tags: tags, rating: rating, title: title).cleaned
        if let excess = values.excess {
            throw .unsupported(excess, advice: "shorten them with the program that wrote them")
        }
        return values
    }

    /// The last names of digiKam's tags.
    var lastNames: [String] {
        texts(of: .tagsList).compactMap { $0.split(separator: "/").last.map(String.init) }
    }

    private var rating: Int? {
        // XMP defines the rating as a real number.
        guard let text = texts(of: .rating).first, let number = Double(decimal: text) else { return nil }
        return SidecarValues.ratings.first { Double($0) == number.rounded() }
    }

    private var title: String? {
        if case .list(_, let list)? = places[.title]?.form, let item = list.defaultItem { return text(of: item) }
        return texts(of: .title).first
    }

    /// Returns the items of a property, or its only text.
    private func texts(of property: XMPProperty) -> [String] {
        switch places[property]?.form {
        case .attribute(let attribute)?: [SidecarValues.cleaned(XMLText.decoded(bytes, attribute.value))]
        case .text(let element)?: [text(of: element)]
        case .list(_, let list)?: list.items.map(text)
        case nil: []
        }
    }

    /// Returns the text of an element without child elements, cleaned.
    func text(of element: XMLElement) -> String {
        element.content.map { SidecarValues.cleaned(XMLText.decoded(bytes, $0)) } ?? ""
    }
}

/// The items of a property with several values: an `rdf:Bag`, `rdf:Seq` or `rdf:Alt` with `rdf:li`.
struct XMPList: Sendable {
    /// The name of the container.
    let name: XMLName
    /// The elements `rdf:li`, without child elements.
    let items: [XMLElement]
    /// The item of the default language: the one marked `x-default`, or else one without a language; `nil` if there is
    /// neither.
    let defaultItem: XMLElement?

    /// Finds the list in a property; `nil` if the property has no child elements.
    ///
    /// - Throws: ``XMLFault`` if the property has another form, such as a list of structures.
    init?(_ property: XMPProperty, _ element: XMLElement, _ bytes: [UInt8]) throws(XMLFault) {
        guard let container = element.children.first else { return nil }
        guard element.children.count == 1, property != .rating,
            ["Bag", "Seq", "Alt"].contains(where: { container.name.matches(.rdf, $0) }),
            container.children.allSatisfy({ $0.name.matches(.rdf, "li") && $0.children.isEmpty })
        else {
            throw .unsupported(
                "\(property.name) has a form that gst-capture does not know",
                advice: "change it with the program that wrote it", at: element.range.lowerBound)
        }
        let items = container.children
        let languages = items.map { item in
            item.attribute(.xml, "lang").map { XMLText.decoded(bytes, $0.value).lowercased() }
        }
        defaultItem = (languages.firstIndex(of: "x-default") ?? languages.firstIndex(of: nil)).map { items[$0] }
        (name, self.items) = (container.name, items)
    }
}
