// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SystemBase

// Recordings of cameras.
extension API {
    var recordingEndpoints: [Endpoint] { [record, stopRecording, trigger] }

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
}
#endif
