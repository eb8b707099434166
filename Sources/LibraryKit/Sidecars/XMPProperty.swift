// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The namespaces of the properties in ``SidecarValues``, and of the syntax around them.
enum XMPNamespace: String {
    case rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    case dc = "http://purl.org/dc/elements/1.1/"
    case xmp = "http://ns.adobe.com/xap/1.0/"
    case digiKam = "http://www.digikam.org/ns/1.0/"
    case meta = "adobe:ns:meta/"
    case xml = "http://www.w3.org/XML/1998/namespace"

    /// The usual prefix.
    var prefix: String {
        switch self {
        case .rdf: "rdf"
        case .dc: "dc"
        case .xmp: "xmp"
        case .digiKam: "digiKam"
        case .meta: "x"
        case .xml: "xml"
        }
    }
}

/// A property that is read or changed.
enum XMPProperty: CaseIterable {
    case rating
    case title
    case subject
    /// The tags of digiKam with their parents, such as `Places/Berlin`. They are read if there is no ``subject``, and
    /// never changed.
    case tagsList

    var namespace: XMPNamespace {
        switch self {
        case .rating: .xmp
        case .title, .subject: .dc
        case .tagsList: .digiKam
        }
    }

    var local: String {
        switch self {
        case .rating: "Rating"
        case .title: "title"
        case .subject: "subject"
        case .tagsList: "TagsList"
        }
    }

    /// The name with the usual prefix, for messages.
    var name: String { "\(namespace.prefix):\(local)" }
}

/// The prefix for names of a namespace, with the declaration that it needs.
struct XMPQualifier {
    private let prefix: String
    /// The declaration for the start tag, with a space before it; empty if the prefix is declared.
    let declaration: String

    /// Uses the prefix of another name.
    init(_ name: XMLName) { (prefix, declaration) = (name.prefix, "") }

    /// Uses a prefix that the bindings have for the namespace, or else declares a new one.
    init(_ namespace: XMPNamespace, in bindings: [XMLBinding], isForAttribute: Bool = false) {
        if let known = Self.prefix(of: namespace, in: bindings, isForAttribute: isForAttribute) {
            (prefix, declaration) = (known, "")
            return
        }
        // The prefix of another namespace must keep its meaning inside the new element.
        var free = namespace.prefix
        while bindings.contains(where: { $0.prefix == free }) { free += "1" }
        (prefix, declaration) = (free, " xmlns:\(free)=\"\(namespace.rawValue)\"")
    }

    /// Returns a prefix that the bindings have for a namespace; `nil` if there is none.
    ///
    /// - Parameter isForAttribute: Skips the default namespace, which applies to elements only.
    static func prefix(
        of namespace: XMPNamespace, in bindings: [XMLBinding], isForAttribute: Bool = false
    ) -> String? {
        let known = bindings.last { binding in
            // A later binding of the same prefix hides an earlier one.
            binding.namespace == namespace && !(isForAttribute && binding.prefix.isEmpty)
                && bindings.last { $0.prefix == binding.prefix }?.namespace == namespace
        }
        return known?.prefix
    }

    /// Returns a name of the namespace with the prefix.
    func of(_ local: String) -> String { prefix.isEmpty ? local : "\(prefix):\(local)" }
}
