// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import Synchronization

/// The camera of a stream, which is opened again after each fault.
final class StreamCamera: Sendable {
    /// The use that a stream makes of its camera.
    struct Use: Sendable {
        /// The name of the stream in messages of other jobs: `a stream`.
        let name: String
        /// Changes the configuration of the camera. Blocks.
        let configure: @Sendable (inout CaptureConfiguration) throws(CaptureError) -> Void
        /// Begins to use the camera with a configuration.
        let begin: @Sendable (CaptureConfiguration) -> any FrameUser
        /// Receives each error of the camera.
        let lose: @Sendable (CaptureError) -> Void
        /// Receives the events of a loss, and of its end.
        let report: @Sendable (CaptureEvent) -> Void
    }

    private let camera: ServiceCamera
    private let source: CameraSource
    private let hub: CameraHub
    private let state = Mutex(CameraHealth())

    init(_ camera: ServiceCamera, _ source: CameraSource, _ hub: CameraHub) {
        (self.camera, self.source, self.hub) = (camera, source, hub)
    }

    /// The ID of the camera.
    var id: String { camera.id }

    /// The state of the camera, as the stream sees it.
    var health: CameraHealth { state.withLock { $0 } }

    /// Keeps the camera open until the task is canceled.
    ///
    /// - Returns: The error of a driver that hangs, after which the camera cannot be opened; `nil` after cancellation.
    func keepOpen(_ use: Use) async -> CaptureError? {
        while !Task.isCancelled {
            do throws(CaptureError) {
                let found = try await source.camera()
                let configuration = try await BlockingWork.run { [camera] () throws(CaptureError) in
                    var configuration = try camera.live(found)
                    try use.configure(&configuration)
                    return configuration
                }
                try await follow(configuration, use)
            } catch {
                guard !Task.isCancelled else { break }
                lose(error, use)
                await source.forget()
                guard error.code != .wedged else { return error }
                await SeriesJob.wait(.seconds(2), orDevice: error.code == .noCamera)
            }
        }
        return nil
    }

    /// Uses the frames of the camera until the task is canceled.
    ///
    /// - Throws: The error that lost the camera for good.
    private func follow(_ configuration: CaptureConfiguration, _ use: Use) async throws(CaptureError) {
        let lease = hub.lease(configuration, for: use.name)
        let user = use.begin(configuration)
        await lease.open()
        let error = await withTaskGroup(of: Void.self) { group -> CaptureError? in
            defer { group.cancelAll() }
            for await event in lease.events {
                record(event, use)
                switch event {
                case .ready(let camera, _):
                    let work = user.open(camera.session)
                    group.addTask { await work() }
                case .gone(let error): return error
                default: break
                }
            }
            return nil
        }
        await lease.close()
        await user.close()
        if let error { throw error }
    }

    private func record(_ event: SupervisedCamera.Event, _ use: Use) {
        update(use) { $0.record(camera: event, at: $1) }
        switch event {
        case .lost(let error), .ended(let error), .recovering(_, _, let error): lose(error, use)
        default: break
        }
    }

    private func lose(_ error: CaptureError, _ use: Use) {
        update(use) { $0.lose(error, at: $1) }
        use.lose(error)
    }

    /// Changes the state of the camera, and reports a loss and its end.
    private func update(_ use: Use, _ change: (inout CameraHealth, ClockTime) -> Void) {
        let now = PipelineClock.system.now
        let event = state.withLock { health -> CaptureEvent? in
            let loss = health.since
            change(&health, now)
            switch (loss, health.since) {
            case (nil, _?): return health.error.map(CaptureEvent.lost)
            case (let loss?, nil): return .recovered(after: now - loss)
            default: return nil
            }
        }
        if let event { use.report(event) }
    }
}

/// Uses the frames of a camera, each time it is open.
protocol FrameUser: Sendable {
    /// Begins with the frames of a camera that is open now.
    ///
    /// - Returns: The work with them, until the camera closes or its task is canceled.
    func open(_ session: CameraSession) -> @Sendable () async -> Void

    /// Ends all use. When this returns, no frame is held.
    func close() async
}
