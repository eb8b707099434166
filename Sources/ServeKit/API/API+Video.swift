// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import VideoKit

/// Live video.
extension API {
    var videoEndpoints: [Endpoint] {
        [video("/api/v1/cameras/{camera}/stream.mp4"), video("/cameras/{camera}/stream.mp4"), video("/stream.mp4")]
    }

    /// How long a request waits for the first picture.
    private static let patience = Duration.seconds(10)

    private func video(_ path: String) -> Endpoint {
        let hasCamera = path.contains("{camera}")
        return Endpoint(
            method: .get, path: path,
            summary:
                "Live video as an MP4 file that does not end: H.264, a fragment for each picture, from a key frame on."
                + (hasCamera ? "" : " It is the first camera's."),
            parameters: (hasCamera ? [.camera] : []) + Endpoint.Parameter.sizes + [.bitRate, .layers, .keepsFrames],
            ignoresUnknown: !path.hasPrefix("/api/"), content: .other(["video/mp4"]),
            problems: [.notFound, .tooManyRequests, .serviceUnavailable], senders: .neighbors, isPicture: true
        ) { [self] request in
            let wanted = try VideoRequest(request)
            try await Drawings.check(wanted.layers)
            let cameras = await service.status.cameras.map(\.id)
            let camera = hasCamera ? request.path("camera") : cameras.first ?? ""
            if request.isHead, cameras.contains(camera) { return .head("video/mp4") }
            let place = try place(for: request)
            let viewer = try await service.watch(camera, wanted)
            let first = try await Self.first(of: viewer)
            let frames = try await keptFrames(of: camera, request)
            return try LiveResponse(place, request.channel, keeping: frames).video(viewer, beginningWith: first)
        }
    }

    /// Waits for the first picture.
    ///
    /// - Throws: ``Problem`` if there is none: the camera is away, or no encoder works.
    private static func first(of viewer: VideoViewer) async throws -> EncodedUnit {
        async let _ = leave(viewer, after: patience)
        do throws(CaptureError) {
            if let first = try await viewer.first() { return first }
            throw CaptureError(
                .temporary, "no picture has come yet", subject: "live video", advice: "try again later")
        } catch {
            throw Problem(.serviceUnavailable, error, headers: [.retryAfter: "2"])
        }
    }

    private static func leave(_ viewer: VideoViewer, after patience: Duration) async {
        if (try? await Task.sleep(for: patience)) != nil { viewer.leave() }
    }
}

extension VideoRequest {
    /// The request of the parameters.
    ///
    /// - Throws: ``Problem`` if a value is out of range.
    init(_ request: APIRequest) throws(Problem) {
        self.init()
        width = try request.number("width", StreamRequest.lengths)
        height = try request.number("height", StreamRequest.lengths)
        rate = try request.number("fps", StreamRequest.rates)
        bitRate = try request.number("bitrate", Self.bitRates)
        layers = try StreamRequest.layers(request)
    }
}

extension Endpoint.Parameter {
    fileprivate static let bitRate = number("bitrate", "Bits a second.", VideoRequest.bitRates)
}
#endif
