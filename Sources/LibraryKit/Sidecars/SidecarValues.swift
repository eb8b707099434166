// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The tags, the rating and the title of a picture, as its sidecar stores them.
///
/// A sidecar has at most ``mostTags`` different tags of at most ``mostTagBytes`` bytes of UTF-8 each, and a title of at
/// most ``mostTitleBytes``. ``XMPSidecar`` refuses a file, or values, beyond these limits: a shortened list would lose
/// tags at the next change.
package struct SidecarValues: Sendable, Hashable {
    /// The maximum number of tags.
    package static let mostTags = 200
    /// The maximum size of a tag, in bytes of UTF-8.
    package static let mostTagBytes = 256
    /// The maximum size of a title, in bytes of UTF-8.
    package static let mostTitleBytes = 4096
    /// The ratings of XMP: -1 for rejected pictures, 0 for unrated ones, and 1 to 5 stars.
    package static let ratings = -1...5

    /// The keywords (`dc:subject`), in the order of the file.
    package var tags: [String]
    /// The rating (`xmp:Rating`), -1 to 5; `nil` if the sidecar has no valid one.
    package var rating: Int?
    /// The title in the default language (`dc:title`); `nil` if there is none.
    package var title: String?

    package init(tags: [String] = [], rating: Int? = nil, title: String? = nil) {
        (self.tags, self.rating, self.title) = (tags, rating, title)
    }

    /// The values as a sidecar stores them: texts on one line, without whitespace at their ends, and each tag once.
    /// Empty texts are left out.
    package var cleaned: SidecarValues {
        var known: Set<String> = []
        let tags = tags.map(Self.cleaned).filter { !$0.isEmpty && known.insert($0).inserted }
        let title = title.map(Self.cleaned)
        return SidecarValues(tags: tags, rating: rating, title: title?.isEmpty == false ? title : nil)
    }

    /// Returns the text with a space in place of each line break, tab and other character that XML 1.0 or a line of
    /// text cannot contain, and without whitespace at its ends.
    static func cleaned(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            // XML parsers read CR LF as one line break (XML 1.0, 2.11).
            if !(isAfterReturn && scalar == "\n") { scalars.append(isUsable(scalar) ? scalar : " ") }
            isAfterReturn = scalar == "\r"
        }
        return FixedText.trimmed(String(scalars))
    }

    private static func isUsable(_ scalar: Unicode.Scalar) -> Bool {
        XMLText.isCharacter(scalar) && scalar.properties.generalCategory != .control
    }

    /// The limit that cleaned values exceed, as a message; `nil` if they are within all limits.
    var excess: String? {
        if tags.count > Self.mostTags { return "\(tags.count) tags exceed the limit of \(Self.mostTags)" }
        if let size = tags.lazy.map(\.utf8.count).max(), size > Self.mostTagBytes {
            return "a tag of \(size) bytes exceeds the limit of \(Self.mostTagBytes)"
        }
        if let size = title?.utf8.count, size > Self.mostTitleBytes {
            return "a title of \(size) bytes exceeds the limit of \(Self.mostTitleBytes)"
        }
        if let rating, !Self.ratings.contains(rating) {
            return "the rating \(rating) is not one from \(Self.ratings.lowerBound) to \(Self.ratings.upperBound)"
        }
        return nil
    }
}
