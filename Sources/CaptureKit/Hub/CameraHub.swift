// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import PipelineKit
import Synchronization

/// Owns cameras, so that several jobs can use one at the same time: a series, a preview, a session, single pictures.
///
/// A job takes a *lease* on a camera. The first lease that needs frames opens the camera. The camera is closed when no
/// lease needs frames. All leases receive its loss and recovery. Jobs that agree on a camera share its pipeline. If a
/// job needs another format or other controls than the first job, its lease is refused until all jobs that share the
/// camera have ended. The error names the oldest of them.
///
///     let hub = CameraHub()
///     let series = CaptureController(seriesConfiguration, hub: hub)
///     let preview = CaptureController(previewConfiguration, hub: hub)
///
/// Any thread may use a hub.
public final class CameraHub: Sendable {
    private let stations = Mutex<[CameraKey: WeakStation]>([:])
    private let equip: SupervisedCamera.Equip
    private let adjustments: CameraAdjustments
    private let hook = PictureHook()

    /// Creates a hub without cameras.
    public convenience init() { self.init(equip: SupervisedCamera.openControls) }

    /// - Parameter equip: Opens the controls of cameras; tests pass a function with fake controls.
    init(equip: @escaping SupervisedCamera.Equip) {
        let adjustments = CameraAdjustments()
        self.adjustments = adjustments
        self.equip = { (configuration, held) async throws(CaptureError) in
            let adjusted = adjustments.applied(to: configuration)
            do throws(CaptureError) {
                return try await equip(adjusted, held)
            } catch {
                // The values were accepted once: a camera that refuses them now is better than none.
                guard error.code == .usage, adjusted.controls != configuration.controls else { throw error }
                return try await equip(configuration, held)
            }
        }
    }

    /// Gives a camera these values whenever it is opened, after the controls of its configuration. The caller has set
    /// them in the driver.
    ///
    /// - Parameter camera: The ID of the camera.
    package func keep(_ values: [ControlAssignment], for camera: String) { adjustments.add(values, to: camera) }

    /// Forgets values of ``keep(_:for:)``: those of these controls, or all if `names` is `nil`.
    package func forget(_ names: Set<String>? = nil, for camera: String) { adjustments.remove(names, from: camera) }

    /// Calls a function after each picture that a job captures, with a frame of the picture and the job's limits of ramps.
    /// It replaces an earlier function; `nil` ends the calls. The frame holds a buffer of the camera.
    package func onPicture(_ body: (@Sendable (Camera, Frame, RampLimits) async -> Void)?) { hook.set(body) }

    /// Returns the frame of an open camera that is nearest to an earlier moment, as far as
    /// ``CaptureConfiguration/history`` of its jobs reaches; `nil` if the camera is closed, was opened later, or did not
    /// deliver then.
    package func keptFrame(
        of source: CaptureConfiguration.Source, nearestTo moment: ClockTime
    ) async -> Frame? {
        let station = stations.withLock { $0[CameraKey(source)]?.station }
        return await station?.keptFrame(nearestTo: moment)
    }

    /// Returns a lease on the camera of a configuration; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - job: The name of the job in the error of a later one that is refused.
    ///   - preview: Shows the camera's frames while the lease needs them.
    ///   - isOnly: `true` if no other job will use the hub.
    package func lease(
        _ configuration: CaptureConfiguration, for job: String, preview: PreviewScreen? = nil, isOnly: Bool = false
    ) -> CameraLease {
        var configuration = configuration
        configuration.isShared = !isOnly
        let station = stations.withLock { stations in
            let key = CameraKey(configuration.source)
            if let station = stations[key]?.station { return station }
            let station = CameraStation(equip: equip)
            stations = stations.filter { $0.value.station != nil }
            stations[key] = WeakStation(station: station)
            return station
        }
        return CameraLease(station, CameraTenant(configuration, job: job, preview: preview), hook)
    }
}

/// A station that is released with its last lease.
private struct WeakStation {
    weak var station: CameraStation?
}

/// The identity of a camera in a hub.
private enum CameraKey: Hashable {
    case camera(id: String)
    case fragment(String)

    init(_ source: CaptureConfiguration.Source) {
        switch source {
        case .camera(let camera): self = .camera(id: camera.id)
        case .fragment(let text): self = .fragment(text)
        }
    }
}
