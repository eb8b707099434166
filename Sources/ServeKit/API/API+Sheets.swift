// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import FilmKit
import HTTPTypes
import Hummingbird
import LedgerKit
import LibraryFeed
import OverlayCompositor
import ServiceKit
import StillKit

// Contact sheets of series and albums.
extension API {
    var sheetEndpoints: [Endpoint] { [seriesSheet] + (library.map { [albumSheet($0)] } ?? []) }

    /// The maximum number of pictures of a sheet.
    private static let pictureCounts = 1...400
    /// The widths of sheets: the largest takes about 70 MB while it is drawn.
    private static let widths = SheetSettings.widths.lowerBound...4096
    /// Pictures are legible in the window of a browser, and on paper.
    private static let usualWidth = 2560

    private var seriesSheet: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/series/{series}/sheet",
            summary: "A contact sheet of a series as a JPEG: pictures evenly by time, with their times.",
            parameters: [
                .series, .query("since", "Only slots due at this time or later, such as 2026-11-21."),
                .query("until", "Only slots due before this time, such as 2h ago."),
            ] + Self.sheetParameters, content: .other(["image/jpeg"]), problems: [.notFound], isPicture: true
        ) { [service, sheets] request in
            let id = request.path("series")
            let (filter, settings, most) = (
                try Self.filter(request), try Self.settings(request), try Self.most(request)
            )
            let series = try await service.pictures(of: id)
            return try await sheets.response(to: request, settings) { flag throws(CaptureError) in
                try series.sheet(filter, most: most, until: flag)
            }
        }
    }

    private func albumSheet(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/albums/{album}/sheet",
            summary: "A contact sheet of an album as a JPEG: pictures evenly by time, with their times.",
            parameters: [
                .album, .query("since", "Only pictures captured at this time or later, such as 2026-11-21."),
                .query("until", "Only pictures captured before this time, such as 2h ago."),
            ] + Self.sheetParameters, content: .other(["image/jpeg"]), problems: [.notFound], isPicture: true
        ) { [sheets] request in
            let (id, filter) = (request.path("album"), try Self.filter(request))
            let (settings, most) = (try Self.settings(request), try Self.most(request))
            return try await sheets.response(to: request, settings) { flag throws(CaptureError) in
                try library.sheet(ofAlbum: id, since: filter.since, until: filter.until, most: most, until: flag)
            }
        }
    }

    private static let sheetParameters = [
        Endpoint.Parameter(
            place: .query, name: "most",
            summary: "The maximum number of pictures: the first, the last, and others evenly by time.",
            schema: .integer(pictureCounts, standard: SheetSettings.usualCount)),
        Endpoint.Parameter(
            place: .query, name: "width", summary: "The width of the sheet in pixels.",
            schema: .integer(widths, standard: usualWidth)),
        .query(
            "caption", "The text below each picture: its time, the name of its file, or none.",
            schema: .object([
                "type": .string("string"),
                "enum": .array(SheetSettings.Caption.allCases.map { .string($0.rawValue) }),
                "default": .string(SheetSettings.Caption.time.rawValue),
            ])),
    ]

    private static func most(_ request: APIRequest) throws(Problem) -> Int {
        try request.number("most", pictureCounts, standard: SheetSettings.usualCount)
    }

    private static func settings(_ request: APIRequest) throws(Problem) -> SheetSettings {
        var settings = SheetSettings()
        settings.width = try request.number("width", widths, standard: usualWidth)
        guard let text = request.query("caption") else { return settings }
        guard let caption = SheetSettings.Caption(rawValue: text) else {
            throw Problem(.badRequest, "caption: \(text.quoted) is not known", advice: "give time, name or none")
        }
        settings.caption = caption
        return settings
    }
}

/// Draws contact sheets for clients, one after the other. None is kept: the next picture of a series changes it.
actor ContactSheets {
    private let rasterizer: (any Rasterizer)?
    private let turns = Turns()
    private var pending = 0

    /// The most sheets that are drawn or wait.
    static let mostPending = 8

    /// - Parameter rasterizer: Draws texts; `nil` if it is not installed.
    init(_ rasterizer: (any Rasterizer)?) { self.rasterizer = rasterizer }

    /// Returns the response to a request for a sheet.
    ///
    /// - Parameter read: Reads the pictures. Blocks.
    /// - Throws: `CaptureError` `.temporary` if too many sheets wait or the client has left, and the errors of the sheet.
    nonisolated func response(
        to request: APIRequest, _ settings: SheetSettings,
        _ read: @escaping @Sendable (CancelFlag) throws(CaptureError) -> SheetDraft
    ) async throws -> Response {
        let bytes = try await request.untilClientLeaves { try await self.jpeg(settings, read) }
        return Response(
            status: .ok, headers: [.contentType: "image/jpeg", .cacheControl: API.revalidation],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Draws a sheet when the earlier ones are done.
    ///
    /// - Throws: As ``response(to:_:_:)``.
    func jpeg(
        _ settings: SheetSettings, _ read: @escaping @Sendable (CancelFlag) throws(CaptureError) -> SheetDraft
    ) async throws(CaptureError) -> [UInt8] {
        guard let rasterizer else {
            throw CaptureError(
                .temporary, "contact sheets cannot be drawn without gst-capture-raster, which is not installed",
                advice: "install gst-capture as a whole")
        }
        guard pending < Self.mostPending else {
            throw CaptureError(.temporary, "too many contact sheets are being drawn", advice: "try again later")
        }
        pending += 1
        defer { pending -= 1 }
        await turns.take()
        defer { turns.end() }
        guard !Task.isCancelled else { throw CaptureError(.temporary, "the request was canceled") }
        return try await CancelFlag.run(read).jpeg(settings, rasterizer)
    }
}
#endif
