// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// The right of one job to use a camera of a ``CameraHub``.
///
/// ``events`` report the state of the camera while the lease needs frames. Any thread may use a lease. A lease that is
/// released without ``close()`` is closed soon after.
package final class CameraLease: Sendable {
    /// The events of the camera, for one listener: the job that has the lease. They are kept until the job takes them,
    /// and not broadcast, because each one hands the job the camera from which it takes its frames. Other listeners use
    /// the job's own events.
    package var events: AsyncStream<SupervisedCamera.Event> { tenant.events }

    private let station: CameraStation
    private let tenant: CameraTenant
    private let hook: PictureHook

    init(_ station: CameraStation, _ tenant: CameraTenant, _ hook: PictureHook) {
        (self.station, self.tenant, self.hook) = (station, tenant, hook)
    }

    deinit {
        tenant.need(.nothing)
        // No owner is left that could wait for this task.
        Task { [station, tenant] in await station.serve(tenant) }
    }

    /// Requests frames: the camera is opened unless another lease has it open. ``events`` emit the result. If the job
    /// contradicts another one, the only event is ``SupervisedCamera/Event/gone(_:)``.
    package func open() async {
        tenant.need(.frames)
        await station.serve(tenant)
    }

    /// Requests no frames for a while. If no other lease needs any, the camera is closed, and free when this returns,
    /// unless its driver hangs.
    package func rest() async {
        tenant.need(.rest)
        await station.serve(tenant)
    }

    /// Ends the lease; it cannot be opened again. If it was the last one, the camera's controls are restored, and the
    /// camera is free when this returns, unless its driver hangs.
    package func close() async {
        tenant.need(.nothing)
        await station.serve(tenant)
    }

    /// `true` if ``follow(_:)`` has an effect.
    var isFollowed: Bool { !tenant.configuration.ramps.isEmpty || hook.isSet }

    /// Adjusts the ramped controls to the light of a picture, for the next one: those that the job ramps, and those that
    /// the owner of the hub does.
    package func follow(_ frame: Frame) async {
        if !tenant.configuration.ramps.isEmpty { await station.follow(frame) }
        await hook.pass(frame, of: tenant.configuration)
    }
}

/// A job that uses a camera, as the camera's ``CameraStation`` knows it. The station holds the tenant, not the lease: a
/// lease that its job releases can end.
final class CameraTenant: Sendable {
    /// The frames that a job needs.
    enum Need: Sendable, Hashable {
        /// None yet, or none for a while.
        case rest
        /// All frames from now on.
        case frames
        /// None anymore: the lease has ended.
        case nothing
    }

    let configuration: CaptureConfiguration
    /// The name of the job, for the errors of other jobs.
    let job: String
    /// Shows the camera's frames; `nil` for no preview.
    let preview: PreviewScreen?
    /// The events of the camera, for one listener.
    let events: AsyncStream<SupervisedCamera.Event>
    private let continuation: AsyncStream<SupervisedCamera.Event>.Continuation
    private let state = Mutex(Needs())

    private struct Needs {
        var need = Need.rest
        var rests = 0
    }

    init(_ configuration: CaptureConfiguration, job: String, preview: PreviewScreen?) {
        (self.configuration, self.job, self.preview) = (configuration, job, preview)
        (events, continuation) = AsyncStream.makeStream()
    }

    /// The need of the job now. A lease that has ended needs nothing, even if ``CameraLease/open()`` is called later.
    var need: Need { state.withLock { $0.need } }

    /// How often the job has rested: after each rest it waits for the camera again.
    var rests: Int { state.withLock { $0.rests } }

    func need(_ need: Need) {
        state.withLock { state in
            guard state.need != .nothing else { return }
            state.need = need
            if need == .rest { state.rests += 1 }
        }
    }

    func emit(_ event: SupervisedCamera.Event) { continuation.yield(event) }

    func finish() { continuation.finish() }
}
