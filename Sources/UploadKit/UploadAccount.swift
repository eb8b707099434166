// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import LedgerKit

/// A file with numbered lines that another program writes: the ledger of a series, or the list of a camera's clips.
protocol UploadAccount: UploadSource {
    /// Returns the number of pictures in a range of lines.
    func pictureCount(in lines: ClosedRange<Int>) throws(CaptureError) -> Int

    /// Returns the pictures that a person has deleted after a deletion.
    ///
    /// - Parameters:
    ///   - deletion: The number of the last known deletion; 0 for none.
    ///   - most: The maximum number of deletions.
    /// - Returns: The pictures that can have been sent, and the number of the last deletion.
    func deletions(after deletion: Int, most: Int) throws(CaptureError) -> (pictures: [UploadPicture], last: Int)

    /// Returns the pictures of a file that has left the trash; none if the file is back.
    ///
    /// - Parameter sha256: The hash of the file; `nil` if it is not known.
    func pictures(ofFile file: String, _ sha256: String?) throws(CaptureError) -> [UploadPicture]
}

extension OutboxConfiguration.Route.Kind {
    /// Returns the ledgers, or the lists of clips, of a folder. Blocks.
    func accounts(at folder: String) -> [String] {
        switch self {
        case .series: (try? LedgerFinder.ledgers(at: folder)) ?? []
        case .clips: ClipReader.lists(at: folder)
        case .sessions: []
        }
    }

    /// Opens a ledger, or a list of clips; `nil` if it is missing, or has no line yet. Blocks.
    func account(_ path: String) throws(CaptureError) -> (any UploadAccount)? {
        switch self {
        case .series: try LedgerUploads(path)
        case .clips: try ClipUploads(path)
        case .sessions: nil
        }
    }
}
