// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SystemBase

// The clips of cameras, and films.
extension API {
    var clipEndpoints: [Endpoint] {
        clipPlaces.flatMap { [list($0), clip($0), file($0), poster($0), remove($0)] }
    }

    private func list(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.path, summary: "The \(place.noun)s \(place.owner), newest first.",
            parameters: place.parameters + [
                Endpoint.Parameter(
                    place: .query, name: "limit", summary: "The maximum number of \(place.noun)s.",
                    schema: .integer(1...500, standard: 50)),
                Endpoint.Parameter(
                    place: .query, name: "before", summary: "The next of the page before.",
                    schema: .integer(1...999_999_999, standard: 999_999_999)),
            ], content: .json("Clips"), problems: [.notFound]
        ) { request in
            let limit = try request.number("limit", 1...500, standard: 50)
            let before = try request.number("before", 1...999_999_999)
            let clips = try await place.folder(request).page(before: before, limit: limit)
            let next = clips.count == limit ? clips.last?.id : nil
            return Response.json(
                .object(["clips": .array(clips.map(\.json)), "next": next.map(JSONValue.integer) ?? .null]))
        }
    }

    private func clip(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.clipPath, summary: "A \(place.noun), also one that was removed.",
            parameters: place.parameters + [place.clip], content: .json("Clip"), problems: [.notFound]
        ) { request in Response.json(try await place.clip(request).json) }
    }

    private func file(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .get, path: place.clipPath + "/file", summary: "The MP4 file of a complete \(place.noun).",
            parameters: place.parameters + [place.clip, .ifNoneMatch, .range, .ifRange],
            responses: ServedFile.responses(["video/mp4"], hasTag: true),
            problems: [.notFound, .rangeNotSatisfiable], isPicture: true
        ) { request in
            let clip = try await place.clip(request)
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
            parameters: place.parameters + [place.clip, .ifNoneMatch],
            responses: [(.ok, .other(["image/jpeg"])), (.notModified, .none)], problems: [.notFound], isPicture: true
        ) { [thumbnails] request in
            let clip = try await place.clip(request)
            let tag = "\(clip.tag)-\(Thumbnails.width)"
            if let unchanged = request.unchanged(tag) { return unchanged }
            let key = place.key(request)
            let bytes = try await request.untilClientLeaves { try await thumbnails.poster(of: clip, key) }
            return .thumbnail(bytes, tag)
        }
    }

    private func remove(_ place: ClipPlace) -> Endpoint {
        Endpoint(
            method: .delete, path: place.clipPath,
            summary: "Removes a \(place.noun). The list keeps its line, with the removal.",
            parameters: place.parameters + [place.clip],
            isRecorded: true, status: .noContent, content: .none, problems: [.notFound, .conflict]
        ) { request in
            let (folder, id) = (try await place.folder(request), try place.id(request))
            try await Problem.conflict(for: [.temporary]) { try await folder.remove(id) }
            return Response(status: .noContent)
        }
    }
}

/// The place of clips in the API: those of a camera, the films of a series, or films that clients have ordered.
private struct ClipPlace: Sendable {
    /// The name of one in words, and of its parameter.
    let noun: String
    /// The words for their owner.
    let owner: String
    let path: String
    /// The parameters of the owner.
    let parameters: [Endpoint.Parameter]
    /// Distinguishes the owner's clips from others.
    let key: @Sendable (APIRequest) -> String
    let folder: @Sendable (APIRequest) async throws(CaptureError) -> ClipFolder

    /// The parameter of a clip.
    var clip: Endpoint.Parameter {
        Endpoint.Parameter(
            place: .path, name: noun, summary: "The ID of the \(noun).", schema: .text("^[0-9]{1,9}$"))
    }

    var clipPath: String { "\(path)/{\(noun)}" }

    func clip(_ request: APIRequest) async throws -> StoredClip {
        let id = try id(request)
        guard let clip = try await folder(request).clip(id) else { throw CaptureError.unknown(noun, "\(id)") }
        return clip
    }

    func id(_ request: APIRequest) throws(CaptureError) -> Int {
        let text = request.path(noun)
        guard text.utf8.count <= 9, text.utf8.allSatisfy(\.isDigit), let id = Int(text), id > 0 else {
            throw CaptureError.unknown(noun, text)
        }
        return id
    }
}

extension API {
    private var clipPlaces: [ClipPlace] {
        let clips = ClipPlace(
            noun: "clip", owner: "of a camera", path: "/api/v1/cameras/{camera}/clips", parameters: [.camera],
            key: { $0.path("camera") },
            folder: { [service] request throws(CaptureError) in
                try await service.clipFolder(of: .camera(request.path("camera")))
            })
        let days = ClipPlace(
            noun: "film", owner: "of a series, one of each day", path: "/api/v1/series/{series}/films",
            parameters: [.series], key: { "film-" + $0.path("series") },
            folder: { [service] request throws(CaptureError) in
                try await service.clipFolder(of: .series(request.path("series")))
            })
        let ordered = films.map { desk in
            ClipPlace(
                noun: "film", owner: "that clients have ordered", path: "/api/v1/films", parameters: [],
                key: { _ in "films" }, folder: { _ in desk.folder })
        }
        return [clips, days] + [ordered].compactMap { $0 }
    }
}
#endif
