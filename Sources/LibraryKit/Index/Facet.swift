// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation

/// A property by which pictures are selected: `tag:snow`, `series:garden`.
public struct Facet: Sendable, Hashable {
    /// The kind of property. The word is the term of a search.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The kind of account.
        case kind
        /// The camera.
        case camera
        /// The series.
        case series
        /// The session.
        case session
        /// The stage of a session.
        case stage
        /// A tag.
        case tag
        /// The number of stars.
        case stars
        /// The title of an album.
        case album

        /// `true` if a picture has one value at most.
        var isSingle: Bool { self != .tag && self != .album }

        /// `true` if words of the value find pictures, and the full-text index has the facet alone. A value such as the name
        /// of a camera can be that of all pictures: its words in each of them would be long lists.
        var isNamedByWords: Bool { [.camera, .series, .session, .stage].contains(self) }
    }

    /// The kind of property.
    public let kind: Kind
    /// The value.
    public let value: String

    /// Creates a facet. Its value is in Unicode's composed form (NFC): the index compares bytes, and other programs write
    /// the same letters in another form.
    public init(_ kind: Kind, _ value: String) {
        let isASCII = value.utf8.allSatisfy { $0 < 128 }
        (self.kind, self.value) = (kind, isASCII ? value : value.precomposedStringWithCanonicalMapping)
    }
}

extension LibraryItem {
    /// The facets of the picture, each once.
    var facets: [Facet] {
        var facets = [Facet(.kind, facts.kind.word), Facet(.stars, "\(notes.stars)")]
        let single: [(Facet.Kind, String?)] = [
            (.camera, facts.camera), (.series, facts.series), (.session, facts.session), (.stage, facts.stage),
        ]
        for case (let kind, let value?) in single { facets.append(Facet(kind, value)) }
        for tag in Set(notes.tags) { facets.append(Facet(.tag, tag)) }
        for album in albums { facets.append(Facet(.album, album)) }
        return facets
    }

    /// The text in which words are found, besides the facets that are named by words.
    var text: String {
        ([notes.title, facts.fileName].compactMap { $0 } + notes.tags + albums).joined(separator: "\n")
    }
}

/// The tokens of facets in the full-text index.
///
/// Each facet is one token, so that a query compares it as a whole. The token is one letter, or a few: the index of word
/// beginnings has an entry for each token of two letters and more.
enum FacetToken {
    /// CJK Unified Ideographs (U+4E00 to U+9FFF), which the tokenizer neither folds nor splits.
    private static let first: Int64 = 0x4E00
    private static let count: Int64 = 0x9FFF - 0x4E00 + 1

    /// Returns the token of a facet by its number in the index, from 1.
    static func text(_ number: Int64) -> String {
        var (rest, scalars) = (number, String.UnicodeScalarView())
        repeat {
            if let scalar = Unicode.Scalar(UInt32(first + rest % count)) { scalars.append(scalar) }
            rest /= count
        } while rest > 0
        return String(scalars)
    }
}
#endif
