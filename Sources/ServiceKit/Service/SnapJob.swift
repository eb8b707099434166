// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import StillKit

/// A request for pictures of a camera, from its acceptance until its last picture is stored or delivered.
actor SnapJob {
    /// An event that waits for the pictures before it, which are being stored.
    private struct PendingEvent {
        let event: CaptureEvent
        /// The place of its picture in memory.
        var place: PictureMemory.Place?
    }

    private let camera: String
    private let parts: ServiceParts
    private var controller: CaptureController?
    /// The error that ended the request early.
    private var reason: CaptureError?

    /// The state of the camera, as the request sees it.
    private(set) var health = CameraHealth()

    init(of camera: String, _ parts: ServiceParts) { (self.camera, self.parts) = (camera, parts) }

    /// Ends the request after its current picture. Returns at once.
    func end(because error: CaptureError) async {
        reason = reason ?? error
        await controller?.finish()
    }

    /// Ends the request without its current picture. Returns at once.
    func cancel(because error: CaptureError) async {
        reason = reason ?? error
        await controller?.cancel()
    }

    /// Captures the pictures of the request. If the task is canceled, pictures that are not captured yet are abandoned.
    ///
    /// - Parameters:
    ///   - earlier: The frame of a picture from before the request; `nil` for a frame from now on.
    ///   - store: Called with each picture and its bytes. Returns a result, and the ID of a stored picture. If it throws,
    ///     the capture ends.
    /// - Returns: The results of `store`, and the error that ended the capture early, if one did.
    /// - Throws: That error, if nothing was stored.
    func run<Stored: Sendable>(
        _ configuration: CaptureConfiguration, from earlier: Frame? = nil,
        _ store: @Sendable (Still) async throws(CaptureError) -> (Stored, StillID?)
    ) async throws(CaptureError) -> (stored: [Stored], failure: CaptureError?) {
        if let reason { throw reason }
        guard !parts.memory.isFull else { throw .picturesWait(camera) }
        let controller = CaptureController(
            configuration, hub: parts.hub, rasterizer: parts.rasterizer, motion: nil, earlier: earlier)
        self.controller = controller
        defer { self.controller = nil }
        let (pending, inlet) = AsyncStream<PendingEvent>.makeStream()
        async let summary = controller.run()
        async let _ = collect(controller, into: inlet)
        var (stored, failure): ([Stored], CaptureError?) = ([], nil)
        for await next in pending {
            var (event, name) = (next.event, StillID?.none)
            if case .captured(let still) = event, failure == nil {
                do throws(CaptureError) {
                    let (result, id) = try await store(still)
                    stored.append(result)
                    name = id
                } catch {
                    (event, failure) = (.failed(still.slot, error), error)
                    await controller.cancel()
                }
            }
            record(event, name)
        }
        let outcome = await summary
        failure = failure ?? reason
        if case .failed(let error) = outcome.ending { failure = failure ?? error }
        failure = failure ?? outcome.firstFailure
        if stored.isEmpty, let failure { throw failure }
        return (stored, failure)
    }

    /// Takes the events as they occur, and ends the capture if their pictures have no place in memory.
    private func collect(
        _ controller: CaptureController, into inlet: AsyncStream<PendingEvent>.Continuation
    ) async {
        for await event in controller.events {
            guard case .captured(let still) = event, let bytes = still.bytes else {
                inlet.yield(PendingEvent(event: event))
                continue
            }
            if let place = parts.memory.reserve(bytes.count) {
                inlet.yield(PendingEvent(event: event, place: place))
            } else {
                let error = CaptureError.picturesWait(camera)
                inlet.yield(PendingEvent(event: .failed(still.slot, error)))
                await cancel(because: error)
            }
        }
        inlet.finish()
    }

    private func record(_ event: CaptureEvent, _ name: StillID?) {
        parts.observer?.record(event, camera: camera, series: nil)
        health.record(event, at: PipelineClock.system.now)
        if let event = ServiceEvent(event, camera: camera, series: nil, still: name?.description) {
            parts.emit(event)
        }
    }
}
