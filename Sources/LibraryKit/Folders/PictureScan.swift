// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import StillKit
import VideoKit

/// The facts of a file without an account: of a picture from its first and its last bytes, of a movie from its headers, and
/// from their names.
struct PictureScan {
    let mark: ContentMark
    let facts: ItemFacts

    /// Reads a file. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if the file is no JPEG, PNG or MP4, `.temporary` if it is a recording that is not
    ///   complete, and the errors of files.
    init(_ path: String) throws(CaptureError) {
        let file = try RegularFile.opened(path)
        let found: (content: Content, mark: ContentMark)
        do throws(RegularFile.Failure) {
            let isMovie = MovieFacts.isMovie(fileName: path)
            found = isMovie ? try Self.readMovie(file) : try Self.readPicture(file)
        } catch {
            throw CaptureError(error, path)
        }
        let status = file.status
        let modified = WallTime(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec))
        var facts = ItemFacts(
            .file, taken: modified, byteCount: Int(status.st_size), fileName: DeviceFiles.name(of: path))
        switch found.content {
        case .picture(let head):
            facts.taken = head.exif?.taken ?? modified
            (facts.width, facts.height) = head.shownSize
        case .movie(let movie):
            facts.taken = movie.created ?? modified
            (facts.width, facts.height, facts.duration) = (movie.width, movie.height, movie.duration)
        case .unfinished: throw .unfinished(path)
        case .other: throw .other(path, isEmpty: facts.byteCount == 0)
        }
        (mark, self.facts) = (found.mark, facts)
    }

    /// The content of a file.
    private enum Content {
        case picture(PictureHead)
        case movie(MovieFacts)
        /// A recording that is being written, or was cut off.
        case unfinished
        case other
    }

    private static func readMovie(
        _ file: borrowing RegularFile
    ) throws(RegularFile.Failure) -> (Content, ContentMark) {
        let byteCount = Int(file.status.st_size)
        let head = try file.bytes(most: ContentMark.edge)
        let tail = try file.tail(min(ContentMark.edge, max(0, byteCount - head.count)))
        let content: Content =
            switch try MovieFacts.content(of: file) {
            case .movie(let facts): .movie(facts)
            case .fragments: .unfinished
            case nil: .other
            }
        return (content, ContentMark(byteCount: byteCount, head: head, tail: tail))
    }

    /// Reads the first bytes, more of them if the tags are long, and the last ones.
    private static func readPicture(
        _ file: borrowing RegularFile
    ) throws(RegularFile.Failure) -> (Content, ContentMark) {
        let byteCount = Int(file.status.st_size)
        var bytes = try file.bytes(most: PictureHead.firstBytes)
        let edge = Array(bytes.prefix(ContentMark.edge))
        var head = PictureHead(bytes)
        if head?.isComplete == false, byteCount > bytes.count {
            bytes += try file.bytes(most: PictureHead.mostBytes - bytes.count)
            head = PictureHead(bytes)
        }
        let tail = try file.tail(min(ContentMark.edge, max(0, byteCount - edge.count)))
        return (head.map(Content.picture) ?? .other, ContentMark(byteCount: byteCount, head: edge, tail: tail))
    }

    /// The kinds of files that a scan looks at, by their names.
    static func isPicture(_ name: String) -> Bool {
        switch StillFormat(fileName: name) {
        case .jpeg, .png: true
        case .webp, .raw: false
        case nil: MovieFacts.isMovie(fileName: name)
        }
    }
}

extension CaptureError {
    fileprivate static func other(_ path: String, isEmpty: Bool) -> CaptureError {
        let isMovie = MovieFacts.isMovie(fileName: path)
        let problem = isMovie ? "is no MP4 file that can be played" : "is neither a JPEG nor a PNG picture"
        return CaptureError(
            .noInput, isEmpty ? "is empty" : problem, subject: path, advice: "remove it, or give it another name")
    }

    fileprivate static func unfinished(_ path: String) -> CaptureError {
        CaptureError(
            .temporary, "is a recording that is not complete", subject: path,
            advice: "end it; after a crash, repair it with gst-capture record --check")
    }
}
#endif
