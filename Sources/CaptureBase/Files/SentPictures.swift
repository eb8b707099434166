// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The lines of a ledger, or of a list of clips, whose pictures are sent: those that all targets of an outbox have. A picture that is not known
/// to be sent is not sent.
///
/// Any thread may use a value. Every call may block.
package protocol SentPictures: Sendable {
    /// Reads the outbox if it has changed. Returns a number that changes whenever the lines do.
    func refresh() -> Int

    /// Returns the first range of sent lines that ends at a line or after it; `nil` if there is none. The lines are those
    /// of the last ``refresh()``.
    func lines(from line: Int) -> ClosedRange<Int>?

    /// Why no picture counts as sent: the state of the outbox is missing or cannot be read. `nil` if it was read.
    var fault: CaptureError? { get }
}

extension SentPictures {
    /// Searches for the first sent picture, in a time that does not depend on the number of unsent pictures before it.
    ///
    /// - Parameters:
    ///   - line: The first line.
    ///   - next: Returns the first picture from a line on, with its line; `nil` if there is none.
    /// - Returns: The picture, if there is one, and a line before which no picture is sent.
    package func first<Picture, Failure: Error>(
        from line: Int, _ next: (Int) throws(Failure) -> (picture: Picture, line: Int)?
    ) throws(Failure) -> (picture: Picture?, line: Int) {
        var line = line
        while let range = lines(from: line) {
            line = max(line, range.lowerBound)
            guard let found = try next(line) else { break }
            line = found.line
            if range.contains(line) { return (found.picture, line) }
        }
        return (nil, line)
    }

    /// `true` if the picture of a line is sent.
    package func contains(_ line: Int) -> Bool { lines(from: line)?.contains(line) ?? false }
}

/// Finds the pictures that an outbox has sent; `nil` if it sends none of a series that only prunes. Blocks.
package typealias SentPicturesSource = @Sendable (SentPicturesRequest) throws(CaptureError) -> (any SentPictures)?

/// A series, or the clips of a camera, whose storage depends on the pictures that an outbox has sent.
package struct SentPicturesRequest: Sendable, Hashable {
    /// The path of the ledger of the series, or of the list of clips.
    package var ledger: String
    /// The names of the pictures, as the user gave them.
    package var names: String
    /// The folder of the pictures, before the first field of their names.
    package var folder: String
    /// `true` if sent pictures are removed only because of their age, so that the targets must have proof of them.
    package var needsProof: Bool
    /// The setting that needs the outbox, without dashes.
    package var setting: String
    /// `true` if ``ledger`` is a list of clips.
    package var isOfClips = false

    /// The setting of a series that only prunes, and needs no outbox.
    package static let pruning = "on-limit"

    package init(ledger: String, names: String, folder: String, needsProof: Bool, setting: String) {
        (self.ledger, self.names, self.folder) = (ledger, names, folder)
        (self.needsProof, self.setting) = (needsProof, setting)
    }

    /// Finds the pictures in the outbox of a service. Blocks.
    ///
    /// - Throws: `CaptureError` `.configuration` without an outbox.
    package func pictures(in outbox: SentPicturesSource?) throws(CaptureError) -> (any SentPictures)? {
        guard let outbox else {
            throw CaptureError(
                .configuration, "needs the outbox of the service", subject: setting,
                advice: "write outbox: with the path of its file beside cameras:")
        }
        return try outbox(self)
    }
}
