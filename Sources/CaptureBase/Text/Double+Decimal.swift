// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Double {
    /// Parses a decimal number of at most 32 characters; `nil` for other text. Swift's own initializer also accepts
    /// hexadecimal numbers, infinity and others.
    package init?(decimal text: String) {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ Self.decimalCharacters.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        self = number
    }

    private static let decimalCharacters = Set("0123456789+-.eE".utf8)
}
