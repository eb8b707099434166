// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The lines of a ledger whose pictures are sent: those that all targets of an outbox have. A picture that is not known
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

/// A series whose storage depends on the pictures that an outbox has sent.
package struct SentPicturesRequest: Sendable, Hashable {
    /// The path of the ledger of the series.
    package var ledger: String
    /// The names of the pictures, as the user gave them.
    package var names: String
    /// The folder of the pictures, before the first field of their names.
    package var folder: String
    /// `true` if sent pictures are removed only because of their age, so that the targets must have proof of them.
    package var needsProof: Bool
    /// The setting that needs the outbox, without dashes.
    package var setting: String

    /// The setting of a series that only prunes, and needs no outbox.
    package static let pruning = "on-limit"

    package init(ledger: String, names: String, folder: String, needsProof: Bool, setting: String) {
        (self.ledger, self.names, self.folder) = (ledger, names, folder)
        (self.needsProof, self.setting) = (needsProof, setting)
    }
}
