// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import LedgerKit

/// The complete clips of a list, for the outbox. No file is opened: a list has no hashes, and the sender computes the hash
/// of a clip before it sends it.
///
/// Every call blocks. A value belongs to one thread at a time.
package final class ClipUploads: UploadAccount {
    private let reader: ClipReader
    /// Distinguishes the list from others at the same path.
    package let identity: String

    /// The extension of files that are sent, in lowercase.
    private static let fileExtension = "mp4"

    /// Opens a list; `nil` if it is missing, or has no clip yet.
    ///
    /// - Throws: `CaptureError` if it is damaged or of a newer version.
    package init?(_ path: String) throws(CaptureError) {
        do throws(CaptureError) {
            reader = try ClipReader(path)
        } catch {
            guard error.code == .noInput else { throw error }
            return nil
        }
        guard let identity = try reader.identity() else { return nil }
        self.identity = identity
    }

    package func newestLine() throws(CaptureError) -> Int { try reader.newestID() }

    /// A clip that a crash has left unfinished is repaired later than the clips after it are complete.
    package func pendingLines() throws(CaptureError) -> [Int] { try reader.recordingIDs() }

    package func pictureCount(in lines: ClosedRange<Int>) throws(CaptureError) -> Int {
        try reader.count(in: lines)
    }

    func deletions(after deletion: Int, most: Int) throws(CaptureError) -> (pictures: [UploadPicture], last: Int) {
        let found = try reader.deletions(after: deletion, most: most)
        return (found.clips.compactMap(Self.picture), found.last)
    }

    /// A list has no hashes: the clip is the newest one with this path.
    func pictures(ofFile file: String, _ sha256: String?) throws(CaptureError) -> [UploadPicture] {
        let folder = LedgerPlace.folder(DeviceFiles.canonical(reader.folder) ?? reader.folder)
        guard file.hasPrefix(folder),
            let clip = try reader.newestClip(ofFile: String(file.dropFirst(folder.count))),
            let picture = Self.picture(clip)
        else { return [] }
        let digest = try? FileDigest(picture.path, most: picture.byteCount)
        return digest == nil || sha256 != nil && digest?.sha256 != sha256 ? [picture] : []
    }

    package func pictures(
        in lines: ClosedRange<Int>, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> UploadPage {
        let found = try reader.page(in: lines, isNewestFirst: order == .newest, most: max(1, most))
        var page = UploadPage(pictures: [], lines: found.ids, unsent: found.others)
        for clip in order == .newest ? found.clips.reversed() : found.clips {
            if let picture = Self.picture(clip) { page.pictures.append(picture) } else { page.unsent.append(clip.id) }
        }
        return page
    }

    /// Returns the clip for a target; `nil` if its file is of another type. A list is a file that other programs can write:
    /// it must not make this one send other files.
    private static func picture(_ clip: StoredClip) -> UploadPicture? {
        var picture = UploadPicture(
            line: clip.id, path: clip.path, byteCount: clip.byteCount ?? 0, sha256: "", taken: clip.start)
        picture.isHashRecorded = false
        return picture.fileExtension.lowercased() == fileExtension ? picture : nil
    }
}
