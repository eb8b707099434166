// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit

/// The pictures of a ledger, for the outbox. No picture is opened, unless the ledger lacks its hash.
///
/// Every call blocks. A value belongs to one thread at a time.
package final class LedgerUploads: UploadAccount {
    private let reader: LedgerReader
    /// Distinguishes the ledger from others at the same path.
    package let identity: String

    /// The number of lines that are read at a time, and the most if they have no pictures.
    private static let (leastLines, mostLines) = (256, 16384)
    /// The extensions of pictures that are sent, in lowercase.
    package static let extensions: Set = ["jpg", "jpeg", "png"]

    /// Opens a ledger; `nil` if it is missing, or has no run yet.
    ///
    /// - Throws: `CaptureError` if it is damaged or of a newer version.
    package init?(_ path: String) throws(CaptureError) {
        do throws(CaptureError) {
            reader = try LedgerReader(path)
        } catch {
            guard error.code == .noInput else { throw error }
            return nil
        }
        guard let identity = try reader.identity() else { return nil }
        self.identity = identity
    }

    /// The number of the newest line; 0 if there is none.
    package func newestLine() throws(CaptureError) -> Int { try reader.newestLine() ?? 0 }

    /// The number of pictures in a range of lines, with those that were removed since.
    package func pictureCount(in lines: ClosedRange<Int>) throws(CaptureError) -> Int {
        try reader.pictureCount(in: lines)
    }

    func deletions(after removal: Int, most: Int) throws(CaptureError) -> (pictures: [UploadPicture], last: Int) {
        let found = try reader.requestedRemovals(after: removal, most: most)
        return (try pictures(ofLines: found.lines), found.last)
    }

    /// Returns the pictures of a file that has left the trash; none if the file is back.
    ///
    /// - Parameter sha256: The hash of the file; `nil` if it is not known. Then only one line may have the file.
    func pictures(ofFile file: String, _ sha256: String?) throws(CaptureError) -> [UploadPicture] {
        let folder = DeviceFiles.canonical(reader.folder) ?? reader.folder
        let base = folder == "/" ? folder : folder + "/"
        guard file.hasPrefix(base) else { return [] }
        let path = (reader.folder == "/" ? "/" : reader.folder + "/") + file.dropFirst(base.count)
        var lines = try reader.lines(ofFile: path)
        if let sha256 { lines.removeAll { $0.sha256 != sha256 } }
        guard sha256 != nil || lines.count == 1 else { return [] }
        return try pictures(ofLines: lines.map(\.id)).filter { picture in
            (try? FileDigest(picture.path, most: picture.byteCount))?.sha256 != picture.sha256
        }
    }

    private func pictures(ofLines lines: [Int]) throws(CaptureError) -> [UploadPicture] {
        var found: [UploadPicture] = []
        for number in lines {
            var filter = LedgerFilter()
            filter.identifiers = number...number
            try reader.eachSoundLine(filter) { line throws(CaptureError) in
                if let picture = picture(line) { found.append(picture) }
            }
        }
        return found
    }

    /// Returns the pictures at one end of a range of lines.
    ///
    /// - Parameters:
    ///   - lines: The range; its lines need not have pictures.
    ///   - order: The end of the range at which reading begins.
    ///   - most: The maximum number of pictures.
    package func pictures(
        in lines: ClosedRange<Int>, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> UploadPage {
        var count = Self.leastLines
        var read: ClosedRange<Int>?
        var unsent: [Int] = []
        while true {
            let part = Self.part(of: lines, after: read, order, count)
            let found = try page(part)
            unsent += found.unsent
            let all = read.map { min($0.lowerBound, part.lowerBound)...max($0.upperBound, part.upperBound) } ?? part
            if !found.pictures.isEmpty || all == lines {
                return Self.cut(UploadPage(pictures: found.pictures, lines: all, unsent: unsent), order, most)
            }
            (read, count) = (all, min(count * 4, Self.mostLines))
        }
    }

    /// Returns the next lines of a range, from one of its ends.
    private static func part(
        of lines: ClosedRange<Int>, after read: ClosedRange<Int>?, _ order: UploadOrder, _ count: Int
    ) -> ClosedRange<Int> {
        switch order {
        case .oldest:
            let first = read.map { $0.upperBound + 1 } ?? lines.lowerBound
            return first...min(lines.upperBound, first + count - 1)
        case .newest:
            let last = read.map { $0.lowerBound - 1 } ?? lines.upperBound
            return max(lines.lowerBound, last - count + 1)...last
        }
    }

    /// Keeps so many pictures, and the lines up to them.
    private static func cut(_ page: UploadPage, _ order: UploadOrder, _ most: Int) -> UploadPage {
        guard page.pictures.count > most, most > 0 else { return page }
        var page = page
        switch order {
        case .oldest:
            page.pictures = Array(page.pictures.prefix(most))
            page.lines = page.lines.lowerBound...page.pictures[most - 1].line
        case .newest:
            page.pictures = Array(page.pictures.suffix(most))
            page.lines = page.pictures[0].line...page.lines.upperBound
        }
        page.unsent.removeAll { !page.lines.contains($0) }
        return page
    }

    private func page(_ lines: ClosedRange<Int>) throws(CaptureError) -> UploadPage {
        var filter = LedgerFilter()
        (filter.identifiers, filter.areStored) = (lines, true)
        var page = UploadPage(pictures: [], lines: lines)
        var damaged: [Int] = []
        try reader.eachSoundLine(filter) { line in
            if let line { damaged.append(line) }
        } _: { line throws(CaptureError) in
            if let picture = picture(line) { page.pictures.append(picture) } else { page.unsent.append(line.id) }
        }
        page.unsent += damaged
        return page
    }

    /// Returns the picture of a line; `nil` if it has none below the folder of the ledger. A ledger is a file that
    /// other programs can write: it must not make this one send other files.
    private func picture(_ line: LedgerReader.Line) -> UploadPicture? {
        let folder = reader.folder == "/" ? "/" : reader.folder + "/"
        guard let still = line.still, let file = still.file, file.hasPrefix(folder), file == LedgerPlace.absolute(file),
            let hash = still.sha256 ?? (try? FileDigest(file, most: still.byteCount).sha256)
        else { return nil }
        var picture = UploadPicture(
            line: line.id, path: file, byteCount: still.byteCount, sha256: hash, taken: still.captured)
        picture.isHashRecorded = still.sha256 != nil
        return Self.extensions.contains(picture.fileExtension.lowercased()) ? picture : nil
    }
}
