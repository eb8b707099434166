// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import PipelineKit
import Synchronization

/// Keeps the newest frames of a camera for live photos, while viewers or requests want them.
///
/// ``run()`` leases the camera from the hub, which series may use at the same time, and returns after the last viewer has
/// left.
final class MotionStream: SharedStream {
    /// All viewers want the same.
    struct Request: Sendable, Hashable {}

    private struct State {
        /// The frames of the open camera; `nil` while there are none.
        var motion: LiveMotion?
        /// The fault because of which there are none; `nil` while there are some, and at the start.
        var fault: CaptureError?
    }

    /// The answer to a viewer that asks for frames.
    enum Answer {
        case frames(LiveMotion)
        case fault(CaptureError)
        /// The camera is being opened.
        case wait
        /// The stream has ended, or the viewer has left.
        case end
    }

    let request = Request()
    private let camera: StreamCamera
    private let surroundings: StreamSurroundings
    private let state = Mutex(State())
    /// The viewers, which wait for frames.
    let audience = StreamAudience()

    init(of camera: StreamCamera, _ surroundings: StreamSurroundings) {
        (self.camera, self.surroundings) = (camera, surroundings)
    }

    /// All viewers count as one: a client that watches the camera has a place already.
    var viewerCount: Int { min(1, audience.count) }
    var health: CameraHealth { camera.health }
    var hasEnded: Bool { audience.hasEnded }
    /// The bytes of the frames that are kept.
    var byteCount: Int { state.withLock { $0.motion }?.byteCount ?? 0 }

    func run() async {
        async let _ = capture()
        await audience.waitForEnd()
        end()
    }

    func end() {
        audience.end()
        state.withLock { $0.motion.take() }?.abandon()
    }
}

// MARK: - Viewers

extension MotionStream {
    func join() -> MotionViewer? { audience.join().map { MotionViewer(self, $0) } }

    /// Returns the frames for a viewer.
    func frames(for id: Int) -> Answer {
        guard audience.isPresent(id) else { return .end }
        return state.withLock { state in
            state.motion.map(Answer.frames) ?? state.fault.map(Answer.fault) ?? .wait
        }
    }
}

// MARK: - Frames

extension MotionStream {
    /// Opens the camera, again after each fault, until the task is canceled.
    private func capture() async {
        let use = StreamCamera.Use(
            name: "live photos", configure: { $0.motion = MotionSpan() },
            begin: { [surroundings] in Keeping(stream: self, motion: LiveMotion($0, surroundings.rasterizer)) },
            lose: lose, report: { [surroundings] in surroundings.report(self, $0) })
        guard let error = await camera.keepOpen(use) else { return }
        end()
        surroundings.giveUp(error)
    }

    /// The frames for one configuration of the camera.
    private struct Keeping: FrameUser {
        let stream: MotionStream
        let motion: LiveMotion?

        func open(_ session: CameraSession) -> @Sendable () async -> Void {
            {
                await motion?.follow(session)
                stream.use(motion)
            }
        }

        func close() async { await motion?.rest() }
    }

    private func use(_ motion: LiveMotion?) {
        state.withLock { state in
            guard !audience.hasEnded else { return }
            (state.motion, state.fault) = (motion, nil)
        }
        audience.signal()
    }

    private func lose(_ error: CaptureError) {
        state.withLock { state in (state.motion, state.fault) = (nil, error) }
        audience.signal()
    }
}

/// Has frames of a camera kept for live photos, until it is released.
package final class MotionViewer: Sendable {
    private let stream: MotionStream
    private let id: Int

    init(_ stream: MotionStream, _ id: Int) { (self.stream, self.id) = (stream, id) }

    deinit { stream.audience.leave(id) }

    /// Waits until a live photo of the present has its time before it.
    ///
    /// - Throws: The fault of the camera; `CaptureError` `.temporary` if the stream has ended, or the task is canceled.
    func ready() async throws(CaptureError) -> LiveMotion {
        while !Task.isCancelled {
            let signals = stream.audience.signals
            switch stream.frames(for: id) {
            case .frames(let motion):
                await motion.fill()
                return motion
            case .fault(let error): throw error
            case .wait: await stream.audience.wait(after: signals)
            case .end: throw CaptureError(.temporary, "the camera was closed", advice: "request it again")
            }
        }
        throw CaptureError(.temporary, "the request was canceled")
    }
}
