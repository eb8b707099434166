// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor

/// The cameras of a session: shows one of them, switches between them, and reports changes of the shown one.
///
/// The owner passes the events of ``all`` cameras to ``handle(_:of:)``, and must await ``close()``.
struct SessionCameras {
    /// A change that concerns the session.
    enum Change {
        /// The shown camera delivers; `isNew` is `false` if the owner knows that already.
        case ready(CameraRole, isNew: Bool)
        /// The shown camera is lost, or an attempt to recover it failed. Its supervisor tries to recover it.
        case lost(CaptureError)
        /// The shown camera is lost and not recovered; `isNew` is `false` if the owner knows that already.
        case gone(CaptureError, isNew: Bool)
    }

    private let cameras: [CameraRole: SessionCamera]
    private let preview: PreviewScreen
    private let broadcast: EventBroadcast<SessionEvent>
    /// The camera that is shown or being opened, and the role that it plays; `isReady` is `true` while it delivers.
    private(set) var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The error of the last loss of the shown camera; `nil` once it delivers.
    private var loss: CaptureError?
    /// The errors of cameras that are lost and not recovered, until they are opened again; by camera, because one
    /// camera can play both roles.
    private var gone: [ObjectIdentifier: CaptureError] = [:]
    /// Closes one camera and opens the next.
    private var switching = TaskChain()

    /// Prepares the cameras of a configuration; opens nothing yet.
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

    /// The role that is used first; front if there is no camera.
    var usual: CameraRole { CameraRole.allCases.first { cameras[$0] != nil } ?? .front }

    /// `true` if at least one camera is not lost, or is still being recovered.
    var hasOther: Bool { cameras.values.contains { gone[ObjectIdentifier($0)] == nil } }

    /// Shows the camera of a role, or the only camera if the role has none. The camera is opened in a task, and its
    /// events follow.
    ///
    /// - Returns: The state of the camera if it is shown already; else empty.
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
        // One camera is closed before the next is opened: both may need a resource that only one can have.
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
    /// - Returns: The change for the state machine; `nil` if the event is only for people and programs.
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

    /// Emits a loss, unless the last loss has the same error: the picture, the supervisor and the end of the camera can
    /// report one loss.
    private mutating func lose(_ error: CaptureError) {
        current?.isReady = false
        if loss != error { broadcast.emit(.lost(error)) }
        loss = error
    }

    /// Waits for a pending switch, then closes all cameras.
    func close() async {
        await switching.finish()
        for camera in all { await camera.close() }
    }
}
