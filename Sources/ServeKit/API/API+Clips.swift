// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SystemBase

// Recordings of cameras, and their clips.
extension API {
    var clipEndpoints: [Endpoint] { [record, stopRecording, trigger, clips, clip, clipFile, poster, removeClip] }

    private static let path = "/api/v1/cameras/{camera}"
    private static let longest = Duration.seconds(30 * 86400)

    private var record: Endpoint {
        Endpoint(
            method: .post, path: Self.path + "/record", summary: "Starts a recording, beside series and pictures.",
            parameters: [
                .camera,
                Endpoint.Parameter(
                    place: .query, name: "for",
                    summary: "The duration, such as 30s. Without it, that of the settings, or until it is stopped.",
                    schema: .duration),
            ], isRecorded: true, responses: [(.accepted, .json("Recording"))], problems: [.notFound, .conflict]
        ) { [service] request in
            let camera = request.path("camera")
            let length = try request.duration("for", .milliseconds(100)...Self.longest)
            try await Problem.conflict(for: [.usage]) { try await service.startClip(camera, for: length) }
            return Response.json(try await service.clipStatus(of: camera).json, status: .accepted)
        }
    }

    private var stopRecording: Endpoint {
        Endpoint(
            method: .post, path: Self.path + "/record/stop",
            summary: "Ends the recording, or the clip of the last trigger. The response has its last clip, which is "
                + "complete.",
            parameters: [.camera], isRecorded: true, content: .json("StoppedClip"), problems: [.notFound, .conflict]
        ) { [service] request in
            let clip = try await Problem.conflict(for: [.usage]) { try await service.stopClip(request.path("camera")) }
            return Response.json(.object(["clip": clip.map(JSONValue.integer) ?? .null]))
        }
    }

    private var trigger: Endpoint {
        Endpoint(
            method: .post, path: Self.path + "/record/trigger",
            summary: "Begins a clip around the present, or extends the current one.", parameters: [.camera],
            isRecorded: true, responses: [(.accepted, .json("Recording"))], problems: [.notFound, .conflict]
        ) { [service] request in
            let camera = request.path("camera")
            try await Problem.conflict(for: [.usage]) { try await service.triggerClip(camera) }
            return Response.json(try await service.clipStatus(of: camera).json, status: .accepted)
        }
    }

    private var clips: Endpoint {
        Endpoint(
            method: .get, path: Self.path + "/clips", summary: "The clips of a camera, newest first.",
            parameters: [
                .camera,
                Endpoint.Parameter(
                    place: .query, name: "limit", summary: "The maximum number of clips.",
                    schema: .integer(1...500, standard: 50)),
                Endpoint.Parameter(
                    place: .query, name: "before", summary: "The next of the page before.",
                    schema: .integer(1...999_999_999, standard: 999_999_999)),
            ], content: .json("Clips"), problems: [.notFound]
        ) { [service] request in
            let limit = try request.number("limit", 1...500, standard: 50)
            let before = try request.number("before", 1...999_999_999)
            let clips = try await service.clips(of: request.path("camera"), before: before, limit: limit)
            let next = clips.count == limit ? clips.last?.id : nil
            return Response.json(
                .object(["clips": .array(clips.map(\.json)), "next": next.map(JSONValue.integer) ?? .null]))
        }
    }

    private var clip: Endpoint {
        Endpoint(
            method: .get, path: Self.path + "/clips/{clip}", summary: "A clip, also one that was removed.",
            parameters: [.camera, .clip], content: .json("Clip"), problems: [.notFound]
        ) { [service] request in Response.json(try await Self.clip(request, service).json) }
    }

    private var clipFile: Endpoint {
        Endpoint(
            method: .get, path: Self.path + "/clips/{clip}/file", summary: "The MP4 file of a complete clip.",
            parameters: [.camera, .clip, .ifNoneMatch, .range, .ifRange],
            responses: ServedFile.responses(["video/mp4"], hasTag: true),
            problems: [.notFound, .rangeNotSatisfiable], isPicture: true
        ) { [service] request in
            let clip = try await Self.clip(request, service)
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

    private var poster: Endpoint {
        Endpoint(
            method: .get, path: Self.path + "/clips/{clip}/poster",
            summary: "The first picture of a complete clip, as a JPEG of up to \(Thumbnails.width) pixels in width.",
            parameters: [.camera, .clip, .ifNoneMatch],
            responses: [(.ok, .other(["image/jpeg"])), (.notModified, .none)], problems: [.notFound], isPicture: true
        ) { [service, thumbnails] request in
            let clip = try await Self.clip(request, service)
            let tag = "\(clip.tag)-\(Thumbnails.width)"
            if let unchanged = request.unchanged(tag) { return unchanged }
            let camera = request.path("camera")
            let bytes = try await request.untilClientLeaves { try await thumbnails.poster(of: clip, camera) }
            return .thumbnail(bytes, tag)
        }
    }

    private var removeClip: Endpoint {
        Endpoint(
            method: .delete, path: Self.path + "/clips/{clip}",
            summary: "Removes a clip. The list keeps its line, with the removal.", parameters: [.camera, .clip],
            isRecorded: true, status: .noContent, content: .none, problems: [.notFound, .conflict]
        ) { [service] request in
            let (camera, id) = (request.path("camera"), try Self.clipID(request))
            try await Problem.conflict(for: [.temporary]) { try await service.removeClip(id, of: camera) }
            return Response(status: .noContent)
        }
    }

    private static func clip(_ request: APIRequest, _ service: CaptureService) async throws -> StoredClip {
        try await service.clip(clipID(request), of: request.path("camera"))
    }

    private static func clipID(_ request: APIRequest) throws(CaptureError) -> Int {
        let text = request.path("clip")
        guard text.utf8.count <= 9, text.utf8.allSatisfy(\.isDigit), let id = Int(text), id > 0 else {
            throw CaptureError.unknown("clip", text)
        }
        return id
    }
}

extension Endpoint.Parameter {
    fileprivate static let clip = Endpoint.Parameter(
        place: .path, name: "clip", summary: "The ID of the clip.", schema: .text("^[0-9]{1,9}$"))
}
#endif
