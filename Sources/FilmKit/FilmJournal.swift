// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase
import VideoKit

/// The hidden file beside a film that is not complete: which pictures are in it, so that the film can be continued after a
/// crash. It has a line of JSON for each part, which is written when that part of the film is durable.
///
/// The file is locked while a process makes the film, and removed with the last picture. Every call blocks.
final class FilmJournal {
    /// The state of a film between two parts.
    struct Part: Sendable, Hashable {
        /// The number of pictures of the plan so far: those in the film, and those that were skipped.
        var pictureCount = 0
        /// The number of frames so far.
        var frameCount = 0
        /// The number of frame times so far: each frame, and those that it is held.
        var unitCount = 0
        /// The place in the movie.
        var place = FragmentedMovie.Place(byteCount: 0, fragmentCount: 0)
        /// A hash of the pictures so far, and of those that have an effect on them.
        var digest = ""
        /// The pictures of this part that were skipped.
        var skipped: [SkippedPicture] = []
        /// The last picture of a film that grows with a series; `nil` for others.
        var growth: Growth?
    }

    /// The last picture of a film that grows with a series: another run continues after it.
    struct Growth: Sendable, Hashable {
        /// The number of the line in the ledger of the last picture that is in the film.
        var line: Int
        /// The slot of that picture.
        var slot: FilmPicture.Slot?
        /// The size of the first picture, for which the film is made.
        var usual: FrameSize
        /// The number of slots without a picture so far, and of files that were skipped.
        var lackCount = 0
    }

    /// A film that was interrupted.
    struct Interrupted: Sendable {
        /// A hash of all settings that decide how the film looks.
        var settings = ""
        /// For a film that grows with a series, the number of the line in the ledger before its first picture.
        var start: Int?
        /// The parts that are durable.
        var parts: [Part] = []
        /// The start of the movie, as ``FragmentedMovie/initialization``; empty before there is one.
        var initialization: [UInt8] = []
        /// The number of the movie's file in its file system; `nil` before there is one.
        var inode: Int?
        /// The ends of the lines of the parts in the journal, in bytes.
        fileprivate var ends: [Int] = []
    }

    /// The most bytes of a journal: a film of a million pictures has 4,000 parts.
    private static let mostBytes = 1 << 24
    private static let version = 1
    /// The bytes of a movie's start that finalizing can change: `ftyp`, and the head of `moov`.
    private static let headBytes = 48

    let path: String
    private let descriptor: Int32
    private var byteCount = 0

    /// Returns the path of the journal of a film.
    static func path(ofFilm film: String) -> String {
        let folder = StillFolder.path(of: film)
        return (folder.hasSuffix("/") ? folder : folder + "/") + "." + DeviceFiles.name(of: film) + ".film"
    }

    /// Opens the journal of a film, and creates it if there is none.
    ///
    /// - Throws: ``CaptureError`` `temporary` if another process makes this film, and the errors of files.
    init(ofFilm film: String) throws(CaptureError) {
        path = Self.path(ofFilm: film)
        guard !path.utf8.contains(0) else { throw CaptureError(.containsNUL, film) }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .file(errno, film, "cannot be created") }
        // File systems without locks refuse with other errors.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            close(descriptor)
            throw CaptureError(
                .temporary, "another process is making this film", subject: film, advice: "wait until it is done")
        }
    }

    deinit {
        // A child that another thread starts has a copy of the descriptor until its program runs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the names of the films in a folder that have a journal.
    static func films(in folder: String) -> [String] {
        DeviceFiles.names(in: folder).filter { $0.hasPrefix(".") && $0.hasSuffix(".film") }.map {
            String($0.dropFirst().dropLast(5))
        }
    }

    /// `true` if the film of a path has a journal.
    static func exists(ofFilm film: String) -> Bool { RegularFile.isRegular(path(ofFilm: film)) }

    /// Reads the film of a path that was interrupted, without a lock; `nil` if there is none, or no line can be read.
    static func interrupted(ofFilm film: String) -> Interrupted? {
        (try? RegularFile.read(path(ofFilm: film), most: mostBytes)).flatMap(interrupted)
    }

    /// Removes the journal: the film is complete, or there is none.
    func remove() { unlink(path) }

    // MARK: Writing

    /// Begins a film.
    ///
    /// - Parameters:
    ///   - settings: A hash of all settings that decide how the film looks.
    ///   - start: For a film that grows with a series, the number of the line in the ledger before its first picture.
    func begin(_ settings: String, after start: Int?) throws(CaptureError) {
        try truncate(to: 0)
        try append([
            "film": .integer(Self.version), "settings": .string(settings), "after": start.map(JSONValue.integer),
        ])
        try StillFolder.syncName(of: path)
    }

    /// Continues a film after some of its parts, at least one.
    func resume(_ interrupted: Interrupted, after partCount: Int) throws(CaptureError) {
        try truncate(to: interrupted.ends[partCount - 1])
    }

    private func truncate(to count: Int) throws(CaptureError) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw .file(errno, path, "cannot be written") }
        byteCount = count
    }

    /// Records the file of the movie, which was created.
    ///
    /// - Parameter initialization: Its start.
    func append(movie: String, _ initialization: [UInt8]) throws(CaptureError) {
        guard let inode = Self.inode(movie) else { return }
        try append(["inode": .integer(inode), "start": .string(Self.digits(initialization))])
    }

    /// Records a part that is durable.
    func append(_ part: Part) throws(CaptureError) {
        try append([
            "pictures": .integer(part.pictureCount), "frames": .integer(part.frameCount),
            "units": .integer(part.unitCount), "bytes": .integer(part.place.byteCount),
            "fragments": .integer(part.place.fragmentCount), "digest": .string(part.digest),
            "skipped": part.skipped.isEmpty
                ? nil
                : .array(
                    part.skipped.map { .object(["file": .string($0.name), "reason": .string($0.reason)]) }),
            "growth": part.growth?.json,
        ])
    }

    private func append(_ members: KeyValuePairs<String, JSONValue?>) throws(CaptureError) {
        let bytes = Array((JSONValue.object(members).text + "\n").utf8)
        try FileBytes.write(bytes, at: byteCount, to: descriptor, path)
        byteCount += bytes.count
        guard fdatasync(descriptor) == 0 else { throw .file(errno, path, "cannot be made durable") }
    }

    /// `true` if a file is the movie of an interrupted film. A file system gives the number of a file that was removed to
    /// the next one, so its start counts, too; finalizing has changed the heads of its first boxes.
    static func isMovie(_ path: String, of film: Interrupted) -> Bool {
        guard let inode = film.inode, inode == Self.inode(path),
            let start = try? RegularFile.read(path, most: film.initialization.count)
        else { return false }
        return start.dropFirst(headBytes) == film.initialization.dropFirst(headBytes)
    }

    /// Returns the number of a file in its file system.
    static func inode(_ path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            ? Int(truncatingIfNeeded: status.st_ino) & .max : nil
    }

    // MARK: Reading

    /// Reads the film that was interrupted; `nil` if there is none, or no line can be read.
    func interrupted() throws(CaptureError) -> Interrupted? {
        Self.interrupted(try RegularFile.read(path, most: Self.mostBytes))
    }

    /// Reads the lines of a journal. A crash can have cut off the last one; the lines up to the first that is damaged count.
    static func interrupted(_ bytes: [UInt8]) -> Interrupted? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        guard let first = lines.first, let head = node(first),
            (try? head.integer("film", version...version)) != nil, let settings = try? head.text("settings")
        else { return nil }
        var (result, end) = (Interrupted(settings: settings), first.count + 1)
        result.start = try? head.integer("after", 0...1 << 53)
        for line in lines.dropFirst() {
            end += line.count + 1
            guard let node = node(line) else { return result }
            if node.has("inode") {
                guard let inode = try? node.integer("inode", 0...Int.max),
                    let start = (try? node.text("start")).flatMap(Self.bytes), !start.isEmpty
                else { return result }
                (result.inode, result.initialization) = (inode, start)
            } else {
                guard !result.initialization.isEmpty, let part = part(node, after: result.parts.last ?? Part()) else {
                    return result
                }
                result.parts.append(part)
                result.ends.append(end)
            }
        }
        return result
    }

    private static func node(_ line: ArraySlice<UInt8>) -> JSONNode? {
        try? JSONNode(String(decoding: line, as: UTF8.self), path: "film", levels: 4, mostValues: 10_000)
    }

    /// Reads a part; `nil` if its numbers do not follow those of the part before.
    private static func part(_ node: JSONNode, after last: Part) -> Part? {
        let most = 1 << 48
        guard let pictures = try? node.integer("pictures", last.pictureCount...most),
            let frames = try? node.integer("frames", last.frameCount...pictures),
            let units = try? node.integer("units", frames...most),
            let bytes = try? node.integer("bytes", last.place.byteCount...most),
            let fragments = try? node.integer("fragments", last.place.fragmentCount...frames),
            let digest = try? node.text("digest"), pictures > last.pictureCount, units >= last.unitCount
        else { return nil }
        var part = Part(
            pictureCount: pictures, frameCount: frames, unitCount: units,
            place: FragmentedMovie.Place(byteCount: bytes, fragmentCount: fragments), digest: digest)
        if node.has("growth") {
            guard let object = try? node.object("growth"), let growth = Growth(object, after: last.growth) else {
                return nil
            }
            part.growth = growth
        }
        guard node.has("skipped") else { return part }
        guard let skipped = try? node.list("skipped") else { return nil }
        for entry in skipped {
            guard let name = try? entry.text("file"), let reason = try? entry.text("reason") else { return nil }
            part.skipped.append(SkippedPicture(name: name, reason: reason))
        }
        return part
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        let characters = Array(digits.utf8)
        guard characters.count % 2 == 0, characters.count <= 1 << 17 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: characters.count, by: 2) {
            guard let byte = UInt8(String(decoding: characters[place..<place + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

extension FilmJournal.Growth {
    fileprivate var json: JSONValue {
        let members: [(String, Int?)] = [
            ("line", line), ("series", slot?.series), ("slot", slot?.index), ("width", usual.width),
            ("height", usual.height), ("lacks", lackCount),
        ]
        return .object(
            members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: .integer($0)) } })
    }

    /// Reads an object; `nil` if its numbers do not follow those of the part before.
    fileprivate init?(_ node: JSONNode, after last: Self?) {
        let most = 1 << 53
        guard let line = try? node.integer("line", (last?.line ?? 0) + 1...most),
            let width = try? node.integer("width", 1...1 << 16), let height = try? node.integer("height", 1...1 << 16),
            let lackCount = try? node.integer("lacks", 0...most)
        else { return nil }
        self.init(line: line, usual: FrameSize(width: width, height: height), lackCount: lackCount)
        if let series = try? node.integer("series", 1...most), let index = try? node.integer("slot", 0...most) {
            slot = FilmPicture.Slot(series: series, index: index)
        }
    }
}
