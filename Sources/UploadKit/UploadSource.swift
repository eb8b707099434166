// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Numbered lines with pictures: the ledger of a series, or the sessions of a folder. Every call blocks.
protocol UploadSource {
    /// Distinguishes the source from others at the same path.
    var identity: String { get }

    /// The number of the newest line; 0 if there is none.
    func newestLine() throws(CaptureError) -> Int

    /// Returns the pictures at one end of a range of lines.
    ///
    /// - Parameters:
    ///   - lines: The range; its lines need not have pictures.
    ///   - order: The end of the range at which reading begins.
    ///   - most: The maximum number of pictures.
    func pictures(
        in lines: ClosedRange<Int>, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> UploadPage
}

/// The pictures of a range of lines.
package struct UploadPage: Sendable, Hashable {
    /// The pictures in the order of their lines.
    package var pictures: [UploadPicture]
    /// The lines that were read: a part of the range at one of its ends.
    package var lines: ClosedRange<Int>
    /// The lines among them whose pictures are not sent: of another type, outside of the folder of the ledger, without a
    /// hash, with invalid values, or of a session that is gone or must not be kept.
    package var unsent: [Int] = []
}

extension OutboxConfiguration.Route {
    /// Opens a source of the route; `nil` if it is missing.
    ///
    /// - Parameters:
    ///   - path: A ledger, or the folder of sessions.
    ///   - clock: Judges whether consents have ended.
    func source(
        _ path: String, _ store: OutboxStore, _ clock: AgeClock
    ) throws(CaptureError) -> (any UploadSource)? {
        switch kind {
        case .series: try LedgerUploads(path)
        case .sessions: try SessionUploads(path, store, clock: clock)
        }
    }
}
