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
    /// The maximum size of a picture.
    private static let mostBytes = 256 << 20

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
                            let head = archive.add(
                                .init(picture.name, byteCount: picture.bytes.count, checksum: checksum))
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
        return ("\(id)-\(name.withoutControls)", try still.contents(most: mostBytes))
    }
}
#endif
