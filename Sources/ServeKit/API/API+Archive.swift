// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SystemBase

// Several pictures in one file.
extension API {
    private static let mostPictures = 64

    var archive: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/stills.zip",
            summary: "Up to \(Self.mostPictures) pictures as a ZIP file. Pictures that are gone are left out.",
            parameters: [
                .query("ids", "The IDs of the pictures, separated by commas.", schema: .words, isRequired: true)
            ], content: .other(["application/zip"]), problems: [.notFound]
        ) { [service] request in
            let ids = try Self.ids(request)
            let series = await service.allPictures
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/zip", .contentDisposition: "attachment; filename=\"pictures.zip\"",
                ],
                body: ResponseBody { writer in
                    var archive = ZIPArchive()
                    for id in ids {
                        // The checksum of a large picture takes longer than a task may hold its thread.
                        let picture = await BlockingWork.run {
                            (try? Self.picture(id, in: series)).map { ($0, CRC32.checksum($0.bytes)) }
                        }
                        guard let (picture, checksum) = picture,
                            let head = archive.add(picture.name, picture.bytes.count, checksum)
                        else { continue }
                        try await writer.write(ByteBuffer(bytes: head))
                        try await writer.write(ByteBuffer(bytes: picture.bytes))
                    }
                    try await writer.write(ByteBuffer(bytes: archive.end))
                    try await writer.finish(nil)
                })
        }
    }

    private static func ids(_ request: APIRequest) throws -> [StillID] {
        let words = (request.query("ids") ?? "").split(separator: ",").map(String.init)
        guard (1...mostPictures).contains(words.count), Set(words).count == words.count else {
            throw Problem(.badRequest, "ids: has no picture, one twice, or more than \(mostPictures)")
        }
        return try words.map { word throws(CaptureError) in
            guard let id = StillID(word) else { throw CaptureError.unknown("picture", word) }
            return id
        }
    }

    /// Returns the bytes of a picture, and the name of its file with its ID: files of different folders can have the
    /// same name. Blocks.
    private static func picture(
        _ id: StillID, in series: [(camera: String, series: ServiceSeries)]
    ) throws(CaptureError) -> (name: String, bytes: [UInt8]) {
        let still = try StillCatalog.still(id, in: series)
        let name = (still.path ?? "").split(separator: "/").last.map(String.init) ?? ""
        return ("\(id)-\(name.withoutControls)", try still.contents(most: ZIPArchive.mostBytes))
    }
}

/// The parts of a ZIP file whose entries are stored as they are (APPNOTE.TXT 6.3, method 0). JPEG and PNG files are
/// compressed already.
struct ZIPArchive: Sendable {
    private struct Entry: Sendable {
        let head: [UInt8]
        let name: [UInt8]
        let offset: Int
    }

    /// The maximum size of an entry. The format has 32-bit sizes without its 64-bit extension.
    static let mostBytes = 256 << 20

    private var entries: [Entry] = []
    private var size = 0

    /// Adds an entry. Returns the bytes that precede its content in the archive; `nil` if the archive has no room.
    mutating func add(_ name: String, _ byteCount: Int, _ checksum: UInt32) -> [UInt8]? {
        let name = Array(name.utf8)
        guard size + byteCount + name.count < Int(UInt32.max) - (1 << 20), name.count < 1024 else { return nil }
        // Version 2.0, names in UTF-8, stored, 1980-01-01 00:00.
        let head =
            Self.fields(of: 2, [20, 0x0800, 0, 0, 0x21])
            + Self.fields(of: 4, [Int(checksum), byteCount, byteCount])
            + Self.fields(of: 2, [name.count, 0])
        let local = Self.fields(of: 4, [0x0403_4B50]) + head + name
        entries.append(Entry(head: head, name: name, offset: size))
        size += local.count + byteCount
        return local
    }

    /// The bytes after the last entry: the central directory.
    var end: [UInt8] {
        var directory: [UInt8] = []
        for entry in entries {
            directory += Self.fields(of: 4, [0x0201_4B50]) + Self.fields(of: 2, [0x0314]) + entry.head
            // No comment, disk 0, no internal attributes; a regular file with the mode 0644.
            directory +=
                Self.fields(of: 2, [0, 0, 0]) + Self.fields(of: 4, [0o100644 << 16, entry.offset]) + entry.name
        }
        return directory + Self.fields(of: 4, [0x0605_4B50])
            + Self.fields(of: 2, [0, 0, entries.count, entries.count])
            + Self.fields(of: 4, [directory.count, size]) + Self.fields(of: 2, [0])
    }

    /// Returns numbers in little-endian order.
    private static func fields(of byteCount: Int, _ values: [Int]) -> [UInt8] {
        values.flatMap { value in (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
}
#endif
