// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A picture of a series, with the number of its line in the ledger.
package struct NumberedPicture: Sendable, Hashable {
    package let line: Int
    package let picture: FilmPicture

    package init(line: Int, _ picture: FilmPicture) { (self.line, self.picture) = (line, picture) }
}

/// Delivers the pictures of a film that grows with a series, in the order of their lines.
package protocol PictureFeed: Sendable {
    /// The number of the line before the first picture of the film.
    var start: Int { get async }

    /// Makes ``next()`` begin after a line; `nil` for ``start``.
    func begin(after line: Int?) async

    /// Returns the next picture, and waits for it.
    func next() async throws(CaptureError) -> FeedStep

    /// Returns the brightness of the last pictures up to a line, the oldest first, also of those that were removed since.
    /// `nil` stands for a picture without one.
    func brightness(upTo line: Int, most: Int) async throws(CaptureError) -> [Double?]
}

/// A picture that a ``PictureFeed`` delivers, or its end.
package enum FeedStep: Sendable, Hashable {
    case picture(NumberedPicture)
    /// A file of the series that is no picture, or damaged, or gone.
    case skipped(SkippedPicture)
    /// The film is complete.
    case complete
    /// The film is left as it is: another run continues it.
    case interrupted
}
