// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import LedgerKit
import LibraryFeed
import LibraryKit
import ServiceKit
import SystemBase

// Pictures and ledgers: read from files, on threads that may block.
extension API {
    var stillEndpoints: [Endpoint] { [list, picture, thumbnail, exif, remove, archive, ledger, plot] }

    /// `Cache-Control` of a content with an ETag: a browser keeps it, and asks each time whether it is current, so that a
    /// picture that was removed, or whose token was, does not appear again.
    static let revalidation = "private, no-cache"
    /// The media types of pictures.
    static let pictureTypes = ["image/jpeg", "image/png", "image/webp", "application/octet-stream"]

    private var list: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/stills", summary: "The pictures of series, newest first.",
            parameters: [
                .query("camera", "Only pictures of these cameras, separated by commas.", schema: .words),
                .query("series", "Only pictures of these series, separated by commas.", schema: .words),
                .before,
                Endpoint.Parameter(
                    place: .query, name: "limit", summary: "The maximum number of pictures. A page can have fewer.",
                    schema: .integer(1...500, standard: 50)),
                .query(
                    "since", "Only pictures captured at this time or later, such as 2026-11-21T18:00:00Z or 2h ago."),
                .query("until", "Only pictures captured before this time."),
            ], content: .json("Stills"), problems: [.serviceUnavailable]
        ) { [service, library] request in
            let limit = try request.number("limit", 1...500, standard: 50)
            let (cameras, names) = (try request.words("camera"), try request.words("series"))
            let position = try request.position { LibraryPosition($0) }
            let since = try request.query("since").map { try LedgerFilter.moment(parsing: $0) }
            let until = try request.query("until").map { try LedgerFilter.moment(parsing: $0) }
            guard let library else { throw Problem.noLibrary }
            let event = service.lastEvent
            let series = await service.allPictures.filter { camera, series in
                cameras?.contains(camera) ?? true && names?.contains(series.id) ?? true
            }
            let page = try await library.stills(
                of: series, from: position, limit: limit, since: since, until: until, after: event)
            return Response.json(
                .object([
                    "stills": .array(page.stills.map(\.json)), "next": .optional(page.next?.description),
                    "faults": .array(page.faults.map(JSONValue.string)),
                ]))
        }
    }

    private var picture: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/stills/{still}", summary: "The bytes of a picture.",
            parameters: [.still, .ifNoneMatch, .range, .ifRange],
            responses: ServedFile.responses(Self.pictureTypes, hasTag: true),
            problems: [.notFound, .rangeNotSatisfiable], isPicture: true
        ) { [service] request in
            let id = try Self.still(request)
            let series = await service.allPictures
            let (record, file) = try await BlockingWork.run { () throws(CaptureError) in
                let record = try StillCatalog.still(id, in: series)
                return (record, ServedFile(try record.open()))
            }
            if let unchanged = request.unchanged(record.tag) { return unchanged }
            return try file.response(
                to: request,
                [
                    .contentType: record.mediaType, .eTag: "\"\(record.tag)\"", .cacheControl: Self.revalidation,
                    .captureTime: record.still.captured.iso8601,
                ])
        }
    }

    private var thumbnail: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/stills/{still}/thumbnail",
            summary: "The picture as a JPEG of up to \(Thumbnails.width) pixels in width.",
            parameters: [.still, .ifNoneMatch], responses: [(.ok, .other(["image/jpeg"])), (.notModified, .none)],
            problems: [.notFound], isPicture: true
        ) { [service, thumbnails] request in
            let record = try await Self.record(request, service)
            let tag = "\(record.tag)-\(Thumbnails.width)"
            if let unchanged = request.unchanged(tag) { return unchanged }
            let bytes = try await request.untilClientLeaves { try await thumbnails.thumbnail(of: record) }
            return .thumbnail(bytes, tag)
        }
    }

    private var exif: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/stills/{still}/exif",
            summary: "The EXIF tags of a picture by name; no members if it has none.", parameters: [.still],
            content: .json("Object"), problems: [.notFound]
        ) { [service] request in
            let record = try await Self.record(request, service)
            return Response.json(try await BlockingWork.run { () throws(CaptureError) in try record.exif() })
        }
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/stills/{still}",
            summary: "Removes a picture that was captured on request. The ledger keeps its line, with the removal.",
            parameters: [.still], isRecorded: true, responses: [(.noContent, .none)], problems: [.notFound, .conflict]
        ) { [requests] request in
            do {
                try await requests.remove(try Self.still(request))
            } catch let error as CaptureError where error.code == .usage {
                throw Problem(.conflict, error)
            }
            return Response(status: .noContent)
        }
    }

    private static func still(_ request: APIRequest) throws(CaptureError) -> StillID {
        let text = request.path("still")
        guard let id = StillID(text) else { throw CaptureError.unknown("picture", text) }
        return id
    }

    private static func record(_ request: APIRequest, _ service: CaptureService) async throws -> StillRecord {
        let (id, series) = (try still(request), await service.allPictures)
        return try await BlockingWork.run { () throws(CaptureError) in try StillCatalog.still(id, in: series) }
    }

    private var ledger: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/ledger/{series}", summary: "The outcome of each slot of a series.",
            parameters: [
                .series,
                Endpoint.Parameter(
                    place: .query, name: "format", summary: "JSON lines, or comma-separated values.",
                    schema: .object([
                        "type": .string("string"), "enum": .array([.string("jsonl"), .string("csv")]),
                        "default": .string("jsonl"),
                    ])),
                .query("outcome", "Only these outcomes: captured, late, missed, failed."),
                .query("since", "Only slots due at this time or later, such as 2026-11-21."),
                .query("until", "Only slots due before this time, such as 2h ago."),
            ], content: .other(["application/jsonl", "text/csv"]), problems: [.notFound]
        ) { [service] request in
            let id = request.path("series")
            let (format, filter) = (try Self.format(request), try Self.filter(request))
            let series = try await service.pictures(of: id)
            let pages = try await BlockingWork.run { () throws(CaptureError) in
                try LedgerPages(series, format, filter)
            }
            return Response(
                status: .ok, headers: [.contentType: format == .csv ? "text/csv" : "application/jsonl"],
                body: ResponseBody { writer in
                    var pages = pages
                    if !pages.head.isEmpty { try await writer.write(ByteBuffer(string: pages.head)) }
                    while true {
                        let (text, rest) = try await BlockingWork.run { [pages] () throws(CaptureError) in
                            var pages = pages
                            return (try pages.next(), pages)
                        }
                        guard let text else { break }
                        pages = rest
                        if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
                    }
                    try await writer.finish(nil)
                })
        }
    }

    private var plot: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/ledger/{series}/plot",
            summary: "A drawing of a series over time: gaps, interval error, brightness, exposure and disk space.",
            parameters: [
                .series, .query("since", "Only slots due at this time or later, such as 2026-11-21."),
                .query("until", "Only slots due before this time, such as 2h ago."),
            ], content: .other(["image/svg+xml"]), problems: [.notFound]
        ) { [service] request in
            let (id, filter) = (request.path("series"), try Self.filter(request))
            let series = try await service.pictures(of: id)
            let svg = try await BlockingWork.run { () throws(CaptureError) in try series.plot(filter) }
            return Response(
                status: .ok, headers: [.contentType: "image/svg+xml", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: svg)))
        }
    }

    private static func format(_ request: APIRequest) throws(Problem) -> LedgerPages.Format {
        guard let text = request.query("format") else { return .jsonl }
        guard let format = LedgerPages.Format(rawValue: text) else {
            throw Problem(.badRequest, "format: \(text.quoted) is not known", advice: "give jsonl or csv")
        }
        return format
    }

    /// Reads the parameters that choose lines of a ledger.
    static func filter(_ request: APIRequest) throws -> LedgerFilter {
        var filter = LedgerFilter()
        for word in try request.words("outcome") ?? [] {
            guard let outcome = LedgerFilter.Outcome(rawValue: word) else {
                throw Problem(
                    .badRequest, "outcome: \(word.quoted) is not known",
                    advice: "give captured, late, missed or failed")
            }
            filter.outcomes.insert(outcome)
        }
        filter.since = try request.query("since").map { try LedgerFilter.moment(parsing: $0) }
        filter.until = try request.query("until").map { try LedgerFilter.moment(parsing: $0) }
        return filter
    }
}

extension Endpoint.Parameter {
    fileprivate static let still = Endpoint.Parameter(
        place: .path, name: "still", summary: "The ID of the picture, such as minute-1204.",
        schema: .text("^[A-Za-z0-9_-]{1,64}-[0-9]+$"))
    static let before = query("before", "The next of the page before.")
    static let ifNoneMatch = Endpoint.Parameter(
        place: .header, name: "If-None-Match", summary: "ETags; the response is 304 if one of them is current.",
        schema: .type("string"))
}

extension APIRequest {
    /// Returns the response 304 if the client has the content with this tag (RFC 9110, section 13.1.2).
    func unchanged(_ tag: String) -> Response? {
        let known = headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        let isKnown = known.contains { text in
            let text = text.filter { $0 != " " && $0 != "\t" }
            return text == "*" || text == "\"\(tag)\"" || text == "W/\"\(tag)\""
        }
        guard isKnown else { return nil }
        return Response(status: .notModified, headers: [.eTag: "\"\(tag)\"", .cacheControl: API.revalidation])
    }
}

extension Response {
    /// Returns a small picture with its tag.
    static func thumbnail(_ bytes: [UInt8], _ tag: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "image/jpeg", .eTag: "\"\(tag)\"", .cacheControl: API.revalidation],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
#endif
