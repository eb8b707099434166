// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// A search for pictures. All its terms must match.
///
/// A text never becomes SQL or the syntax of full-text queries: see ``LibraryQuery/init(_:)``.
public struct LibraryQuery: Sendable, Hashable {
    /// A condition of a search.
    public enum Term: Sendable, Hashable {
        /// A word, or the beginning of a word.
        case word(String, isPrefix: Bool)
        /// Words that follow each other.
        case phrase(String)
        /// A facet.
        case facet(Facet)
        /// One of several facets.
        case any([Facet])
        /// A range of stars, 0 to 5.
        case stars(ClosedRange<Int>)
    }

    /// The conditions that pictures meet.
    public var terms: [Term] = []
    /// The conditions that pictures do not meet.
    public var excluded: [Term] = []
    /// The days, counted from 1970, in the zone of each picture.
    public var days: ClosedRange<Int> = Self.allDays
    /// The moment, to the millisecond, at which or after which pictures were taken; `nil` for any.
    public var since: WallTime?
    /// The moment, to the millisecond, before which pictures were taken; `nil` for any.
    public var until: WallTime?

    /// Every day.
    public static let allDays = Int(Int32.min)...Int(Int32.max)

    /// Creates a search for all pictures.
    public init() {}

    /// `true` if each picture is found.
    var isEmpty: Bool { self == LibraryQuery() }
}
#endif
