// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CropKit
import HTTPTypes
import Hummingbird
import LibraryFeed
import LibraryKit
import OverlayCompositor
import RecordKit
import ServiceKit
import SystemBase

// The pictures of records. Each is a JPEG whose name is its hash. A picture without a record is removed after a day.
extension API {
    func recordBlobEndpoints(_ records: RecordDesk) -> [Endpoint] {
        [upload(records), copy(records), crop(records), read(records), file(records)]
    }

    private func upload(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/blobs",
            summary:
                "Stores a picture for records. A PNG becomes a JPEG. It is durable with the response, and stays for a "
                + "day without a record.",
            parameters: [.location], body: .picture, status: .created, content: .json("RecordBlob"),
            problems: [.unprocessableContent, .insufficientStorage]
        ) { request in
            let removesLocation = try Self.removesLocation(request)
            return .blob(try await Self.store(request.body, removesLocation: removesLocation, in: records))
        }
    }

    private func copy(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/blobs/from",
            summary: "Stores a copy of a picture of the service for records: of a still, or of an item of the library.",
            body: .json("RecordBlobSource"), status: .created, content: .json("RecordBlob"),
            problems: [.notFound, .unprocessableContent, .insufficientStorage]
        ) { [service, library] request in
            let bytes: [UInt8]
            switch try RecordBlobSource(request) {
            case .still(let id):
                let series = await service.allPictures
                bytes = try await BlockingWork.run { () throws(CaptureError) in
                    try StillCatalog.still(id, in: series).contents(most: RecordStore.mostBlobBytes)
                }
            case .item(let text):
                guard let library else { throw Problem.noLibrary }
                let item = try await library.item(text)
                guard !item.isMovie else { throw Problem(.unprocessableContent, "the item is a movie") }
                bytes = try await library.read { index throws(CaptureError) in
                    try Self.contents(try ServiceLibrary.open(item.id, index))
                }
            }
            return .blob(try await Self.store(bytes, in: records))
        }
    }

    private func crop(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/blobs/crop",
            summary:
                "Crops a picture of records to an outline, and stores the crop. The response is the value of a side: "
                + "the crop, and its place in the whole picture. If the edges of a card are not certain, the crop follows "
                + "the outline, and rectified is false.",
            body: .json("RecordCrop"), status: .created, content: .json("RecordCropped"),
            problems: [.notFound, .unprocessableContent, .insufficientStorage]
        ) { [drawings] request in
            let crop = try RecordCrop(request)
            let bytes = try await records.bytes(of: crop.sha256)
            guard let whole = try await records.perform({ $0.blob(crop.sha256) }) else {
                throw CaptureError.unknown("picture of records", crop.sha256)
            }
            try await Drawings.check(.outlines([crop.outline]))
            let cropped = try await request.untilClientLeaves {
                try await Self.asPicture { try await drawings.cropped(bytes, crop) }
            }
            let file = try await Self.store(cropped.bytes, in: records)
            let origin = RecordPicture.Origin(whole, outline: crop.outline, adjustment: crop.adjustment)
            guard case .object(let members) = RecordPicture(file, origin: origin).json else {
                throw CaptureError(.software, "a picture is no object")
            }
            return Response.json(
                .object(members + [JSONValue.Member(name: "rectified", value: .bool(cropped.isRectified))]),
                status: .created)
        }
    }

    private func read(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/blobs/read",
            summary:
                "Reads the barcodes and QR codes in a picture, for the fields that the kind reads from this side. It "
                + "changes nothing: a client offers the values for empty fields.",
            parameters: [
                .query("kind", "The ID of the kind.", schema: .id, isRequired: true),
                .query("side", "The name of the side.", isRequired: true),
            ], body: .json("RecordBlobName"), content: .json("RecordRead"),
            problems: [.notFound, .unprocessableContent]
        ) { request in
            let (kind, side) = (try records.kind(request.query("kind") ?? ""), request.query("side") ?? "")
            guard kind.sides.contains(where: { $0.name == side }) else { throw CaptureError.unknown("side", side) }
            let name = try JSONNode.body(request.body, levels: 2, mostValues: 8, example: #"{"sha256": "…"}"#) {
                node throws(CaptureError) in try node.text("sha256")
            }
            let found = try await request.untilClientLeaves { try await records.codes(in: name, of: side, kind) }
            let read = found.read.sorted { $0.key < $1.key }.map {
                JSONValue.Member(name: $0.key, value: .string($0.value))
            }
            return Response.json(
                .object(["read": .object(read), "codes": .array(found.codes.map(JSONValue.string))]))
        }
    }

    private func file(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/blobs/{sha256}",
            summary:
                "A picture of records, or a JPEG of up to this width. It never changes. 503 if it is being fetched from the "
                + "backend: an event record-picture follows.",
            parameters: [
                .sha256, .ifNoneMatch, .range, .ifRange,
                .query("size", "The width in pixels, 320 or 1280; without it, the whole picture."),
            ], responses: ServedFile.responses(["image/jpeg"], hasTag: true),
            problems: [.notFound, .rangeNotSatisfiable], access: .role(.capture)
        ) { [thumbnails] request in
            let sha256 = request.path("sha256")
            let width = try request.query("size").map { _ in try request.number("size", 1...9999, standard: 320) }
            if let width, !ServiceLibrary.thumbnailWidths.contains(width) {
                throw Problem(.badRequest, "size: \(width) is not offered", advice: "give 320 or 1280")
            }
            let path = try await records.path(ofPicture: sha256)
            let tag = width.map { "\(sha256)-\($0)" } ?? sha256
            var response: Response
            if let unchanged = request.unchanged(tag) {
                response = unchanged
            } else if let width {
                let bytes = try await request.untilClientLeaves {
                    try await thumbnails.thumbnail(of: sha256, tag: sha256, .jpeg, width: width) {
                        () throws(CaptureError) in try Self.open(path)
                    }
                }
                response = .thumbnail(bytes, tag)
            } else {
                let file = try await BlockingWork.run { () throws(CaptureError) in ServedFile(try Self.open(path)) }
                response = try file.response(to: request, [.contentType: "image/jpeg", .eTag: "\"\(tag)\""])
            }
            response.headers[.cacheControl] = "private, max-age=31536000, immutable"
            return response
        }
    }

    /// Stores a picture that a client sends or names.
    ///
    /// - Throws: ``Problem`` 422 if it is no sound picture.
    private static func store(
        _ bytes: [UInt8], removesLocation: Bool = false, in records: RecordDesk
    ) async throws -> RecordBlob {
        try await asPicture { try await records.add(picture: bytes, removesLocation: removesLocation) }
    }

    /// Turns the error of a picture, or of its crop, into the problem 422.
    private static func asPicture<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as CaptureError where error.isAboutPicture {
            throw Problem(.unprocessableContent, error)
        }
    }

    private static func open(_ path: String) throws(CaptureError) -> RegularFile {
        do throws(RegularFile.Failure) {
            return try RegularFile(path)
        } catch {
            throw CaptureError(.noInput, "the picture is not on this machine")
        }
    }

    private static func contents(_ file: consuming RegularFile) throws(CaptureError) -> [UInt8] {
        guard let bytes = try? file.bytes(most: RecordStore.mostBlobBytes + 1) else {
            throw CaptureError(.noInput, "the file of the picture cannot be read")
        }
        return bytes
    }
}

extension CaptureError {
    /// `true` if the cause is the picture, and not the machine.
    fileprivate var isAboutPicture: Bool {
        let isStill = subject == nil || subject == StillCropper.stillSubject
        return code == .usage || isStill && [.noInput, .inputOutput].contains(code) && systemError == nil
    }
}

/// A picture of the service that becomes one of records.
private enum RecordBlobSource {
    case still(StillID)
    case item(String)

    /// Reads `{"still": "minute-1204"}` or `{"item": "garden-pi.minute-1204"}`.
    init(_ request: APIRequest) throws {
        let example = #"{"still": "minute-1204"}"#
        let (still, item) = try JSONNode.body(request.body, levels: 2, mostValues: 8, example: example) {
            node throws(CaptureError) in (try node.optionalText("still"), try node.optionalText("item"))
        }
        switch (still, item) {
        case (let text?, nil):
            guard let id = StillID(text) else { throw CaptureError.unknown("picture", text) }
            self = .still(id)
        case (nil, let text?): self = .item(text)
        default: throw Problem(.badRequest, "names no picture, or two", advice: "send an object such as \(example)")
        }
    }
}

/// A crop of a picture of records.
struct RecordCrop: Sendable {
    let sha256: String
    let outline: String
    let adjustment: CropAdjustment
    /// `true` to crop along the edges of a card near the outline.
    let isRectified: Bool
    /// `true` for the place of the outlines of sessions, `false` for the center.
    let isOfSession: Bool

    /// Reads `{"sha256": "…", "outline": "card", "adjustment": {"move_x": 0.1, "zoom": 1.2}, "rectify": true}`.
    init(_ request: APIRequest) throws {
        let example = #"{"sha256": "…", "outline": "card"}"#
        let crop = try JSONNode.body(request.body, levels: 3, mostValues: 32, example: example) {
            node throws(CaptureError) in
            let moved = try node.optional("adjustment")
            return (
                try node.text("sha256"), try node.text("outline"),
                try moved.map { (node) throws(CaptureError) in try CropAdjustment(node) } ?? CropAdjustment(),
                node.has("rectify") ? try node.flag("rectify") : false,
                node.has("session") ? try node.flag("session") : false
            )
        }
        (sha256, outline, adjustment, isRectified, isOfSession) = crop
    }
}

extension Response {
    /// Returns a picture that was stored.
    fileprivate static func blob(_ blob: RecordBlob) -> Response {
        .json(blob.json, status: .created, headers: [.location: "/api/v1/records/blobs/\(blob.sha256)"])
    }
}

extension Endpoint.Parameter {
    fileprivate static let sha256 = Endpoint.Parameter(
        place: .path, name: "sha256", summary: "The hash of the picture.", schema: .text("^[0-9a-f]{64}$"))
}
#endif
