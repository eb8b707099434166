// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SystemBase

// The clips of cameras, and the films of series.
extension API {
    var clipEndpoints: [Endpoint] {
        [ClipPlace.clips, .films].flatMap { place in
            [list(place), clip(place), file(place), poster(place), remove(place)]
        }
    }

    private func list(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.path, summary: "The \(place.noun)s of a \(place.owner.name), newest first.",
            parameters: [
                place.owner,
                Endpoint.Parameter(
                    place: .query, name: "limit", summary: "The maximum number of \(place.noun)s.",
                    schema: .integer(1...500, standard: 50)),
                Endpoint.Parameter(
                    place: .query, name: "before", summary: "The next of the page before.",
                    schema: .integer(1...999_999_999, standard: 999_999_999)),
            ], content: .json("Clips"), problems: [.notFound]
        ) { [service] request in
            let limit = try request.number("limit", 1...500, standard: 50)
            let before = try request.number("before", 1...999_999_999)
            let clips = try await service.clips(of: place.owner(of: request), before: before, limit: limit)
            let next = clips.count == limit ? clips.last?.id : nil
            return Response.json(
                .object(["clips": .array(clips.map(\.json)), "next": next.map(JSONValue.integer) ?? .null]))
        }
    }

    private func clip(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.clipPath, summary: "A \(place.noun), also one that was removed.",
            parameters: [place.owner, place.clip], content: .json("Clip"), problems: [.notFound]
        ) { [service] request in Response.json(try await place.clip(request, service).json) }
    }

    private func file(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.clipPath + "/file", summary: "The MP4 file of a complete \(place.noun).",
            parameters: [place.owner, place.clip, .ifNoneMatch, .range, .ifRange],
            responses: ServedFile.responses(["video/mp4"], hasTag: true),
            problems: [.notFound, .rangeNotSatisfiable], isPicture: true
        ) { [service] request in
            let clip = try await place.clip(request, service)
            let file = try await BlockingWork.run { () throws(CaptureError) in ServedFile(try clip.open()) }
            if let unchanged = request.unchanged(clip.tag) { return unchanged }
            return try file.response(
                to: request,
                [
                    .contentType: "video/mp4", .eTag: "\"\(clip.tag)\"", .cacheControl: Self.revalidation,
                    .captureTime: clip.start.iso8601,
                ])
        }
    }

    private func poster(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.clipPath + "/poster",
            summary:
                "The first picture of a complete \(place.noun), as a JPEG of up to \(Thumbnails.width) pixels in width.",
            parameters: [place.owner, place.clip, .ifNoneMatch],
            responses: [(.ok, .other(["image/jpeg"])), (.notModified, .none)], problems: [.notFound], isPicture: true
        ) { [service, thumbnails] request in
            let clip = try await place.clip(request, service)
            let tag = "\(clip.tag)-\(Thumbnails.width)"
            if let unchanged = request.unchanged(tag) { return unchanged }
            let owner = place.owner(of: request)
            let bytes = try await request.untilClientLeaves { try await thumbnails.poster(of: clip, owner) }
            return .thumbnail(bytes, tag)
        }
    }

    private func remove(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .delete, path: place.clipPath,
            summary: "Removes a \(place.noun). The list keeps its line, with the removal.",
            parameters: [place.owner, place.clip],
            isRecorded: true, status: .noContent, content: .none, problems: [.notFound, .conflict]
        ) { [service] request in
            let (owner, id) = (place.owner(of: request), try place.id(request))
            try await Problem.conflict(for: [.temporary]) { try await service.removeClip(id, of: owner) }
            return Response(status: .noContent)
        }
    }
}

/// The place of clips in the API: those of a camera, or the films of a series.
private enum ClipPlace {
    case clips, films

    var noun: String { self == .clips ? "clip" : "film" }

    /// The parameter of the camera or the series.
    var owner: Endpoint.Parameter { self == .clips ? .camera : .series }

    /// The parameter of a clip.
    var clip: Endpoint.Parameter {
        Endpoint.Parameter(
            place: .path, name: noun, summary: "The ID of the \(noun).", schema: .text("^[0-9]{1,9}$"))
    }

    var path: String {
        switch self {
        case .clips: "/api/v1/cameras/{camera}/clips"
        case .films: "/api/v1/series/{series}/films"
        }
    }

    var clipPath: String { "\(path)/{\(noun)}" }

    func owner(of request: APIRequest) -> ClipOwner {
        switch self {
        case .clips: .camera(request.path("camera"))
        case .films: .series(request.path("series"))
        }
    }

    func clip(_ request: APIRequest, _ service: CaptureService) async throws -> StoredClip {
        try await service.clip(id(request), of: owner(of: request))
    }

    func id(_ request: APIRequest) throws(CaptureError) -> Int {
        let text = request.path(noun)
        guard text.utf8.count <= 9, text.utf8.allSatisfy(\.isDigit), let id = Int(text), id > 0 else {
            throw CaptureError.unknown(noun, text)
        }
        return id
    }
}
#endif
