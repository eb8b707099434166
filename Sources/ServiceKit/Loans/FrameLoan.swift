// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import FrameLink
import PipelineKit
import Synchronization

/// A camera whose frames another program of this machine uses, on the pipeline that the jobs of the service share.
///
/// ``run()`` delivers the frames, and the program's requests use the flash and the ramps of the camera. The loan ends with
/// ``close()``.
public final class FrameLoan: Sendable {
    /// The name of the loan.
    package let id: String
    /// The camera, for the program.
    package let offer: FrameOffer
    /// The newest frame each time. A program that is slow misses frames.
    package let frames: AsyncStream<Frame>

    private let lease: CameraLease
    private let camera: OpenCamera
    private let continuation: AsyncStream<Frame>.Continuation
    private let state = Mutex<CaptureError?>(nil)
    private let light = Mutex((isLit: false, isClosed: false))

    /// Opens a camera, and waits until its picture is steady.
    ///
    /// - Throws: The error that prevents it: `CaptureError` `.temporary` if the configuration contradicts a job that uses
    ///   the camera, or if the task is canceled.
    init(_ configuration: CaptureConfiguration, hub: CameraHub) async throws(CaptureError) {
        let lease = hub.lease(configuration, for: "another program")
        await lease.open()
        do throws(CaptureError) {
            camera = try await Self.opened(lease)
        } catch {
            await lease.close()
            throw error
        }
        self.lease = lease
        id = Self.name()
        offer = FrameOffer(
            loan: id, frameDuration: camera.frameDuration,
            hasFlash: camera.hasFlash && configuration.flash != .off)
        (frames, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static func opened(_ lease: CameraLease) async throws(CaptureError) -> OpenCamera {
        for await event in lease.events {
            switch event {
            case .ready(let camera, _): return camera
            case .gone(let error), .ended(let error): throw error
            default: break
            }
        }
        throw CaptureError(.temporary, "the service is stopping")
    }

    private static func name() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }

    /// The error that ended the frames; `nil` if there is none.
    package var failure: CaptureError? { state.withLock { $0 } }

    /// Delivers the frames until the camera is lost, ``end(_:)`` is called or the task is canceled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            group.addTask { await self.deliver() }
            await group.next()
            group.cancelAll()
        }
        continuation.finish()
    }

    /// Ends the frames, with this error.
    package func end(_ error: CaptureError) {
        state.withLock { $0 = $0 ?? error }
        continuation.finish()
    }

    /// Turns the flash off if the program has left it on, and returns the camera, which is free when this returns unless
    /// another job uses it.
    package func close() async {
        let isLit = light.withLock { light in
            light.isClosed = true
            return light.isLit
        }
        if isLit { await camera.turnOff() }
        await lease.close()
    }

    private func watch() async {
        for await event in lease.events {
            switch event {
            case .gone(let error), .ended(let error): return end(error)
            default: break
            }
        }
    }

    private func deliver() async {
        let feed = FrameFeed(camera.session)
        while let frame = await feed.next() {
            if case .terminated = continuation.yield(frame) { return }
        }
        // The event with the reason follows.
        if !Task.isCancelled { for await _ in AsyncStream<Void>.makeStream().stream {} }
    }
}

// MARK: - Requests

extension FrameLoan {
    /// Returns the current exposure; `nil` if it is not known.
    package func exposure() async -> ExposureReading? { await camera.exposure() }

    /// Lights the flash if it is to fire for the next picture. Returns `true` if it is lit.
    ///
    /// - Throws: The error of the driver.
    package func light() async throws(CaptureError) -> Bool {
        light.withLock { $0.isLit = true }
        let lighting = await camera.light(FrameFeed(camera.session))
        // The program may have gone meanwhile: nothing else would turn the flash off.
        if light.withLock({ $0.isClosed }) { await camera.turnOff() }
        if let error = lighting.failure { throw error }
        return lighting.moment != nil
    }

    /// Turns the flash off.
    package func turnOff() async {
        await camera.turnOff()
        light.withLock { $0.isLit = false }
    }

    /// Adjusts the ramped controls to the newest frame.
    package func follow() async {
        if let frame = await FrameFeed(camera.session).next() { await lease.follow(frame) }
    }
}
