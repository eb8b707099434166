// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor

/// The cameras of a session: which one is shown, and which ones are lost for good.
///
/// The owner passes it the events of ``all`` cameras, and must await ``close()``.
struct SessionCameras {
    /// A change that concerns the session.
    enum Change {
        /// The shown camera delivers: since now if `isNew` is `true`.
        case ready(CameraRole, isNew: Bool)
        /// The shown camera is lost; its supervisor tries to recover it.
        case lost(CaptureError)
        /// The shown camera is lost for good: since now if `isNew` is `true`.
        case gone(CaptureError, isNew: Bool)
    }

    private let cameras: [CameraRole: SessionCamera]
    private let preview: PreviewScreen
    private let broadcast: EventBroadcast<SessionEvent>
    /// The camera that is shown, and the role that it plays.
    private(set) var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The error with which the shown camera was lost, until it delivers.
    private var loss: CaptureError?
    /// The errors of cameras that are lost for good, until they are opened again. One camera can play both roles.
    private var gone: [ObjectIdentifier: CaptureError] = [:]
    private var switching = TaskChain()

    /// Prepares the cameras of a configuration; it opens nothing yet.
    init(
        _ configuration: SessionConfiguration, _ preview: PreviewScreen, hub: CameraHub,
        _ broadcast: EventBroadcast<SessionEvent>, _ rasterizer: (any Rasterizer)?
    ) {
        (self.preview, self.broadcast) = (preview, broadcast)
        cameras = configuration.cameras.mapValues { camera in
            SessionCamera(camera, preview: preview, configuration.preview, hub: hub, rasterizer)
        }
    }

    /// All cameras: one for each role that the configuration names.
    var all: some Collection<SessionCamera> { cameras.values }

    /// The role that is used first.
    var usual: CameraRole { CameraRole.allCases.first { cameras[$0] != nil } ?? .front }

    /// `true` if a camera is left that is not lost for good.
    var hasOther: Bool { cameras.values.contains { gone[ObjectIdentifier($0)] == nil } }

    /// Shows the camera of a role, or else the only one. Its events follow.
    ///
    /// - Returns: The state of the camera if it is shown already.
    mutating func use(_ role: CameraRole) -> [Change] {
        guard let camera = cameras[role] ?? cameras[role.other] else { return [] }
        let former = current
        if let former, former.camera === camera {
            current = (camera, role, former.isReady)
            let failure = gone[ObjectIdentifier(camera)].map { Change.gone($0, isNew: false) }
            return (former.isReady ? [.ready(role, isNew: false)] : []) + (failure.map { [$0] } ?? [])
        }
        (current, loss) = ((camera, role, false), nil)
        // Another program may have released the camera since.
        gone[ObjectIdentifier(camera)] = nil
        // Cameras are switched one after the other: they may share a resource that only one can have.
        switching.add { [preview] in
            await former?.camera.rest()
            // The last frame is shown until the new camera delivers.
            if former != nil { preview.hold(because: "switching cameras") }
            await camera.open()
        }
        return []
    }

    /// Handles an event of the shown camera, and emits it; ignores events of other cameras.
    ///
    /// - Returns: The change, unless the event is only for people and programs.
    mutating func handle(_ event: SessionCamera.Event, of camera: SessionCamera) -> Change? {
        guard let current, current.camera === camera else { return nil }
        switch event {
        case .opening(let pipeline): broadcast.emit(.opening(camera: camera.id, current.role, pipeline: pipeline))
        case .ready:
            self.current?.isReady = true
            loss = nil
            broadcast.emit(.camera(camera.id, current.role))
            return .ready(current.role, isNew: true)
        case .stalled:
            let message = "no frame for a while; waiting for the camera"
            broadcast.emit(.notice(Notice(.cameraStalled, about: camera.id, message)))
        case .lost(let error):
            lose(error)
            return .lost(error)
        case .recovered: broadcast.emit(.recovered)
        case .gone(let error):
            let isNew = gone.updateValue(error, forKey: ObjectIdentifier(camera)) == nil
            if isNew { lose(error) }
            return .gone(error, isNew: isNew)
        case .notice(let notice): broadcast.emit(.notice(notice))
        }
        return nil
    }

    /// Emits a loss, unless the camera was lost with this error already: several parts of the program notice a loss.
    private mutating func lose(_ error: CaptureError) {
        current?.isReady = false
        if loss != error { broadcast.emit(.lost(error)) }
        loss = error
    }

    /// Closes all cameras.
    func close() async {
        await switching.finish()
        for camera in all { await camera.close() }
    }
}
