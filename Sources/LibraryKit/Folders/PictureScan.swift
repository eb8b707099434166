// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import StillKit

/// The facts of a picture file without an account: from its first and its last bytes, and its name.
struct PictureScan {
    let mark: ContentMark
    let facts: ItemFacts

    /// Reads a file. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if the file is neither a JPEG nor a PNG, and the errors of files.
    init(_ path: String) throws(CaptureError) {
        let file = try RegularFile.opened(path)
        let status = file.status
        let byteCount = Int(status.st_size)
        let head: PictureHead?
        do throws(RegularFile.Failure) {
            (head, mark) = try Self.read(file, byteCount)
        } catch {
            throw CaptureError(error, path)
        }
        guard let head else {
            throw CaptureError(
                .noInput, byteCount == 0 ? "is empty" : "is neither a JPEG nor a PNG picture", subject: path,
                advice: "remove it, or give it another name")
        }
        let modified = WallTime(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec))
        var facts = ItemFacts(
            .file, taken: head.exif?.taken ?? modified, byteCount: byteCount, fileName: DeviceFiles.name(of: path))
        (facts.width, facts.height) = head.shownSize
        self.facts = facts
    }

    /// Reads the first bytes, more of them if the tags are long, and the last ones.
    private static func read(
        _ file: borrowing RegularFile, _ byteCount: Int
    ) throws(RegularFile.Failure) -> (PictureHead?, ContentMark) {
        var bytes = try file.bytes(most: PictureHead.firstBytes)
        let edge = Array(bytes.prefix(ContentMark.edge))
        var head = PictureHead(bytes)
        if head?.isComplete == false, byteCount > bytes.count {
            bytes += try file.bytes(most: PictureHead.mostBytes - bytes.count)
            head = PictureHead(bytes)
        }
        let tail = try file.tail(min(ContentMark.edge, max(0, byteCount - edge.count)))
        return (head, ContentMark(byteCount: byteCount, head: edge, tail: tail))
    }

    /// The kinds of files that a scan looks at, by their names.
    static func isPicture(_ name: String) -> Bool {
        switch StillFormat(fileName: name) {
        case .jpeg, .png: true
        case .webp, .raw, nil: false
        }
    }
}
#endif
