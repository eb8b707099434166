// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import PipelineKit
import Synchronization
import VideoKit

/// Live video of a camera with one encoder for all its viewers.
///
/// ``run()`` leases the camera from the hub, which series may use at the same time, and returns after the last viewer has
/// left. While the camera is lost, viewers get nothing; afterward their video continues with a key frame.
final class VideoStream: SharedStream {
    private struct State {
        /// The video of the open camera; `nil` while there is none.
        var video: CameraVideo?
        /// Counts the videos.
        var number = 0
        /// Distinguishes the open camera from an earlier one, whose video may begin late; `nil` while it is closed.
        var opening: ObjectIdentifier?
        /// The fault because of which there is no video; `nil` while there is some, and at the start.
        var fault: CaptureError?
    }

    /// The answer to a viewer that asks for video.
    enum Answer {
        case video(CameraVideo, number: Int)
        case fault(CaptureError)
        /// The camera is being opened.
        case wait
        /// The stream has ended, or the viewer has left.
        case end
    }

    let request: VideoRequest
    private let camera: StreamCamera
    private let surroundings: StreamSurroundings
    private let state = Mutex(State())
    /// The viewers, which wait for video.
    let audience = StreamAudience()

    /// How long the stream waits after an error of the encoder. Each attempt builds a pipeline.
    private static let pause = Duration.seconds(2)

    init(_ request: VideoRequest, of camera: StreamCamera, _ surroundings: StreamSurroundings) {
        (self.request, self.camera, self.surroundings) = (request, camera, surroundings)
    }

    var viewerCount: Int { audience.count }
    var health: CameraHealth { camera.health }
    var hasEnded: Bool { audience.hasEnded }

    func run() async {
        async let _ = capture()
        await audience.waitForEnd()
        end()
    }

    func end() { audience.end() }
}

// MARK: - Viewers

extension VideoStream {
    func join() -> VideoViewer? { audience.join().map { VideoViewer(self, $0) } }

    /// Returns the current video, if it is a later one than that with a number.
    func video(after number: Int, for id: Int) -> Answer {
        guard audience.isPresent(id) else { return .end }
        return state.withLock { state in
            if let video = state.video, state.number > number { return .video(video, number: state.number) }
            return state.fault.map(Answer.fault) ?? .wait
        }
    }
}

// MARK: - Frames

extension VideoStream {
    /// Opens the camera, again after each fault, until the task is canceled.
    private func capture() async {
        let use = StreamCamera.Use(
            name: "a video stream", configure: request.configure, begin: { Encoding(stream: self, camera: $0) },
            lose: lose, report: { [surroundings] in surroundings.report(self, $0) })
        guard let error = await camera.keepOpen(use) else { return }
        end()
        surroundings.giveUp(error)
    }

    /// The encoder for one configuration of the camera.
    private struct Encoding: FrameUser {
        let stream: VideoStream
        let camera: CaptureConfiguration

        func open(_ session: CameraSession) -> @Sendable () async -> Void {
            stream.state.withLock { $0.opening = ObjectIdentifier(session) }
            return { await stream.encode(session, of: camera) }
        }

        func close() async {}
    }

    /// Encodes the frames until the camera closes, or the task is canceled; again after each error of the encoder.
    private func encode(_ session: CameraSession, of camera: CaptureConfiguration) async {
        while !Task.isCancelled {
            do throws(CaptureError) {
                guard
                    let video = try await CameraVideo.open(
                        session, of: camera, request.settings, surroundings.rasterizer)
                else { return }
                let error = await show(video, of: session)
                await video.close()
                guard let error else { return }
                throw CaptureError(error, subject: "the encoder")
            } catch {
                guard !Task.isCancelled else { return }
                fail(error)
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Shows a video to all viewers until it ends, or the task is canceled.
    ///
    /// - Returns: The error that ended it; `nil` if the camera is lost.
    private func show(_ video: CameraVideo, of session: CameraSession) async -> PipelineError? {
        let isCurrent = state.withLock { state in
            guard state.opening == ObjectIdentifier(session) else { return false }
            (state.video, state.number, state.fault) = (video, state.number + 1, nil)
            return true
        }
        guard isCurrent else { return nil }
        audience.signal()
        do throws(PipelineError) {
            try await video.encoder.outlet.waitForEnd()
            return nil
        } catch {
            return error
        }
    }

    /// Ends the video because of a fault of the camera or the encoder.
    private func fail(_ error: CaptureError) {
        let video = state.withLock { state in
            state.fault = error
            return state.video.take()
        }
        video?.encoder.outlet.end()
        audience.signal()
    }

    private func lose(_ error: CaptureError) {
        state.withLock { $0.opening = nil }
        fail(error)
    }
}
