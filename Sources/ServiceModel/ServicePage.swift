// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The look of the web page. Changes need a restart.
public struct ServicePage: Sendable, Hashable {
    /// The path of a style sheet that sets variables of `theme.css`; `nil` for none.
    public var theme: String?
    /// The path of an SVG or PNG file that replaces the logo; `nil` for none.
    public var logo: String?

    /// Creates the standard look.
    public init() {}
}

extension ServicePage {
    private static let keys = ["theme", "logo"]

    /// Reads the section `page`.
    init(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        self.init()
        guard case .mapping(let pairs, _) = value else {
            throw InvalidValue(
                "\(key.text): is not a section", advice: "write theme: or logo: below it", at: value.place ?? key.place)
        }
        for pair in pairs {
            guard case .scalar(let name) = pair.key, Self.keys.contains(name.text) else {
                throw InvalidValue.unknownKey(pair.key.text ?? "", among: Self.keys).at(pair.key.place)
            }
            guard let path = pair.value.text, path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw InvalidValue(
                    "\(name.text): is not an absolute path", advice: "begin it with /", at: pair.value.place)
            }
            guard name.text == "theme" || [".svg", ".png"].contains(where: path.lowercased().hasSuffix) else {
                throw InvalidValue(
                    "logo: \(path.quoted) is not a drawing", advice: "give an SVG or a PNG file", at: pair.value.place)
            }
            if name.text == "theme" { theme = path } else { logo = path }
        }
    }
}
