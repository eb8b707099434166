// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import StillKit
import SystemBase

/// Copies pictures of a library into one ZIP file, with their sidecars.
///
/// The file has its name when it is complete, durable and read again from the disk. Pictures are stored as they are, in
/// pieces: memory grows with the number of pictures, by about 300 bytes each, and not with their size. Every call blocks.
public struct PictureArchive {
    private let index: LibraryIndex
    private let path: String
    private let progress: (Int, Int) -> Void

    /// - Parameters:
    ///   - path: The absolute path of the file. A missing folder is created.
    ///   - progress: Receives the number of pictures that are done, and of all.
    public init(_ index: LibraryIndex, to path: String, progress: @escaping (Int, Int) -> Void = { _, _ in }) {
        (self.index, self.path, self.progress) = (index, path, progress)
    }

    /// Copies the pictures that a search finds. Without any picture there is no file.
    ///
    /// - Throws: `CaptureError` `.cannotCreate` if the file exists; the errors of writing it, and of the index. There is no
    ///   file then.
    public func run(_ query: LibraryQuery) throws(CaptureError) -> PictureExport.Report {
        if DeviceFiles.exists(path) { throw .archiveExists(path) }
        // Without support for files without names, a killed export leaves its file behind.
        TemporaryFile.removeLeftovers(in: StillFolder.path(of: path))
        var writer = ArchiveWriter(path)
        do throws(CaptureError) {
            try StillStore(overwrites: false, latest: nil).write(to: path) { file throws(CaptureError) in
                try index.eachFile(query, progress: progress) { item, source throws(CaptureError) in
                    try writer.add(item, source, to: file)
                }
                return try writer.finish(file)
            }
        } catch {
            throw error.systemError == EEXIST ? .archiveExists(path) : error
        }
        return writer.report
    }
}

/// The content of a ZIP file, which is written in pieces.
private struct ArchiveWriter {
    /// Bytes that were written, and not yet read again.
    private struct Unverified {
        let position: Int
        let byteCount: Int
        let checksum: UInt32
    }

    private(set) var report = PictureExport.Report()
    private let path: String
    private var archive = ZIPArchive()
    // The file is for other machines, too: Windows and macOS have no two names that differ in case alone.
    private var given = ExportNames(ignoresCase: true)
    private var unverified: [Unverified] = []
    private var verifiedByteCount = 0
    private var piece = [UInt8](repeating: 0, count: 1 << 18)

    /// The number of bytes after which the file is made durable, and read again.
    private static let verifiedBytes = 64 << 20

    init(_ path: String) { self.path = path }

    /// Adds a picture and its sidecar. An error of one of them is in the report.
    mutating func add(_ item: LibraryItem, _ source: String, to file: borrowing TemporaryFile) throws(CaptureError) {
        do throws(CaptureError) {
            let name = given.names(for: item)[0]
            report.byteCount += try copy(source, as: name, to: file)
            report.copiedCount += 1
            given.give(name)
            let sidecar = XMPSidecar.path(of: source)
            if Sidecars.stamp(of: sidecar) != nil { _ = try copy(sidecar, as: XMPSidecar.path(of: name), to: file) }
        } catch {
            guard error.isAboutPicture(source) else { throw error }
            report.faults.append(error)
        }
        if archive.byteCount - verifiedByteCount > Self.verifiedBytes { try verify(file) }
    }

    /// Writes the directory.
    ///
    /// - Returns: `false` if the archive has no picture.
    mutating func finish(_ file: borrowing TemporaryFile) throws(CaptureError) -> Bool {
        guard report.copiedCount > 0 else { return false }
        let end = archive.end
        try write(end, at: archive.byteCount, to: file)
        // A picture that failed may have been longer than all that follows.
        try file.truncate(to: archive.byteCount + end.count, for: path)
        try verify(file)
        return true
    }

    private mutating func write(
        _ bytes: [UInt8], at position: Int, to file: borrowing TemporaryFile
    ) throws(CaptureError) {
        try file.write(bytes[...], at: position, for: path)
        unverified.append(Unverified(position: position, byteCount: bytes.count, checksum: CRC32.checksum(bytes)))
    }

    /// Copies a file into an entry. The next entry overwrites one that fails.
    ///
    /// - Returns: The number of bytes.
    private mutating func copy(
        _ source: String, as name: String, to file: borrowing TemporaryFile
    ) throws(CaptureError) -> Int {
        let picture = try RegularFile.opened(source)
        var entry = ZIPArchive.Entry(
            name, byteCount: Int(picture.status.st_size), checksum: 0, modified: picture.status.st_mtim.tv_sec)
        guard let size = ZIPArchive.head(of: entry)?.count else { throw .file(ENAMETOOLONG, source, "") }
        let start = archive.byteCount
        entry.checksum = try copy(picture, source, entry.byteCount, to: file, at: start + size)
        guard let head = archive.add(entry) else { throw .file(ENAMETOOLONG, source, "") }
        // The head has the checksum, so it comes last.
        try write(head, at: start, to: file)
        unverified.append(Unverified(position: start + size, byteCount: entry.byteCount, checksum: entry.checksum))
        return entry.byteCount
    }

    /// Copies the content of a file.
    ///
    /// - Returns: Its checksum.
    private mutating func copy(
        _ picture: borrowing RegularFile, _ source: String, _ size: Int, to file: borrowing TemporaryFile,
        at position: Int
    ) throws(CaptureError) -> UInt32 {
        var (sum, count) = (CRC32(), 0)
        while true {
            if Task.isCancelled { throw CaptureError(.temporary, "was canceled", subject: "the export") }
            let taken: Int
            do throws(RegularFile.Failure) {
                taken = try picture.read(into: &piece)
            } catch {
                throw CaptureError(error, source)
            }
            if taken == 0 { break }
            guard count + taken <= size else { throw .changed(source) }
            sum.add(piece[..<taken])
            try file.write(piece[..<taken], at: position + count, for: path)
            count += taken
        }
        guard count == size, picture.isUnchanged else { throw .changed(source) }
        return sum.value
    }

    /// Reads the bytes since the last call again from the disk.
    private mutating func verify(_ file: borrowing TemporaryFile) throws(CaptureError) {
        try file.syncAndDrop(for: path)
        for content in unverified {
            var (sum, count) = (CRC32(), 0)
            while count < content.byteCount {
                if Task.isCancelled { throw CaptureError(.temporary, "was canceled", subject: "the export") }
                let taken = try file.read(
                    into: &piece, most: content.byteCount - count, at: content.position + count, for: path)
                if taken == 0 { break }
                sum.add(piece[..<taken])
                count += taken
            }
            guard count == content.byteCount, sum.value == content.checksum else { throw .otherBytes(path) }
        }
        unverified.removeAll(keepingCapacity: true)
        verifiedByteCount = archive.byteCount
    }
}

extension CaptureError {
    fileprivate static func archiveExists(_ path: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "exists already", subject: path, advice: "remove it, or choose another name",
            systemError: EEXIST)
    }

    fileprivate static func changed(_ picture: String) -> CaptureError {
        CaptureError(.temporary, "changed while it was read", subject: picture, advice: "export it again")
    }
}
#endif
