// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor

/// The cameras of a session: shows one of them, switches between them, and reports changes of the shown one. Further
/// cameras can be open beside it, for pictures of the same moment; they change the state like the shown one.
///
/// The owner passes the events of ``all`` cameras to ``handle(_:of:)``, and must await ``close()``.
struct SessionCameras {
    /// A change that concerns the session.
    enum Change {
        /// The shown camera and those beside it deliver; `isNew` is `false` if the owner knows that already.
        case ready(CameraRole, besides: [CameraRole], isNew: Bool)
        /// One of these cameras is lost, or an attempt to recover it failed. Its supervisor tries to recover it.
        case lost(CaptureError)
        /// The shown camera is lost and not recovered; `isNew` is `false` if the owner knows that already.
        case gone(CaptureError, isNew: Bool)
    }

    private let cameras: [CameraRole: SessionCamera]
    /// The cameras without a preview, for pictures beside the shown one; by role.
    private let unseen: [CameraRole: SessionCamera]
    private let preview: PreviewScreen
    private let broadcast: EventBroadcast<SessionEvent>
    /// The camera that is shown or being opened, and the role that it plays; `isReady` is `true` while it delivers.
    private(set) var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The cameras beside the shown one.
    private var besides: [(camera: SessionCamera, role: CameraRole, isReady: Bool)] = []
    /// The error of the last loss of the shown camera; `nil` once it delivers.
    private var loss: CaptureError?
    /// The errors of cameras that are lost and not recovered, until they are opened again; by camera, because one
    /// camera can play both roles.
    private var gone: [ObjectIdentifier: CaptureError] = [:]
    /// Closes one camera and opens the next.
    private var switching = TaskChain()

    /// Prepares the cameras of a configuration; opens nothing yet.
    ///
    /// - Parameter besides: The roles of cameras that a stage uses beside the shown one.
    init(
        _ configuration: SessionConfiguration, besides: Set<CameraRole>, _ preview: PreviewScreen, hub: CameraHub,
        _ broadcast: EventBroadcast<SessionEvent>, _ rasterizer: (any Rasterizer)?
    ) {
        (self.preview, self.broadcast) = (preview, broadcast)
        cameras = configuration.cameras.mapValues { camera in
            SessionCamera(camera, preview: preview, configuration.preview, hub: hub, rasterizer)
        }
        unseen = configuration.cameras.filter { besides.contains($0.key) }.mapValues { camera in
            SessionCamera(camera, preview: nil, configuration.preview, hub: hub, rasterizer)
        }
    }

    /// All cameras, with a preview and without.
    var all: [SessionCamera] { Array(cameras.values) + Array(unseen.values) }

    /// The roles that the configuration names, in the order in which the user switches through them.
    var roles: [CameraRole] { cameras.keys.sorted() }

    /// The role that is used first; front if there is no camera.
    var usual: CameraRole { roles.first ?? .front }

    /// The shown camera and those beside it; empty before the first is used.
    var used: [SessionCamera] { (current.map { [$0.camera] } ?? []) + besides.map(\.camera) }

    /// `true` while all used cameras deliver.
    private var isReady: Bool { current?.isReady == true && besides.allSatisfy(\.isReady) }

    /// `true` if at least one camera is not lost, or is still being recovered.
    var hasOther: Bool { cameras.values.contains { gone[ObjectIdentifier($0)] == nil } }

    /// Shows the camera of a role, or the usual camera if the role has none, and opens others beside it. The cameras are
    /// opened in a task, and their events follow.
    ///
    /// - Returns: The state of the cameras if they are in use already; else empty.
    mutating func use(_ role: CameraRole, besides roles: [CameraRole] = []) -> [Change] {
        guard let camera = cameras[role] ?? cameras[usual] else { return [] }
        let former = current
        let (opening, resting) = replaceBesides(by: roles)
        if let former, former.camera === camera {
            current = (camera, role, former.isReady)
            open(opening, after: resting)
            let failure = gone[ObjectIdentifier(camera)].map { Change.gone($0, isNew: false) }
            return (isReady ? [.ready(role, besides: roles, isNew: false)] : []) + (failure.map { [$0] } ?? [])
        }
        (current, loss) = ((camera, role, false), nil)
        // Another program may have released the camera since.
        gone[ObjectIdentifier(camera)] = nil
        open([camera] + opening, after: (former.map { [$0.camera] } ?? []) + resting, holding: former != nil)
        return []
    }

    /// Uses the cameras of these roles beside the shown one.
    ///
    /// - Returns: The cameras to open, and those that are no longer used.
    private mutating func replaceBesides(by roles: [CameraRole]) -> (opening: [SessionCamera], resting: [SessionCamera])
    {
        let former = besides
        let isKept = { [gone] (camera: SessionCamera) in gone[ObjectIdentifier(camera)] == nil }
        besides = roles.compactMap { role in
            former.first { $0.role == role && isKept($0.camera) } ?? unseen[role].map { ($0, role, false) }
        }
        let opening = besides.map(\.camera).filter { camera in
            !isKept(camera) || !former.contains { $0.camera === camera }
        }
        // Another program may have released the cameras since.
        for camera in opening { gone[ObjectIdentifier(camera)] = nil }
        return (opening, former.filter { !roles.contains($0.role) }.map(\.camera))
    }

    /// Closes cameras before the next are opened: both may need a resource that only one can have.
    ///
    /// - Parameter isHolding: `true` to show the last frame until the new camera delivers.
    private mutating func open(
        _ cameras: [SessionCamera], after resting: [SessionCamera], holding isHolding: Bool = false
    ) {
        guard !cameras.isEmpty || !resting.isEmpty else { return }
        switching.add { [preview] in
            for camera in resting { await camera.rest() }
            if isHolding { preview.hold(because: "switching cameras") }
            for camera in cameras { await camera.open() }
        }
    }

    /// Handles an event of a camera in use, and emits it; ignores events of other cameras.
    ///
    /// - Returns: The change for the state machine; `nil` if the event is only for people and programs.
    mutating func handle(_ event: SessionCamera.Event, of camera: SessionCamera) -> Change? {
        guard let role = role(of: camera) else { return nil }
        switch event {
        case .opening(let pipeline): broadcast.emit(.opening(camera: camera.id, role, pipeline: pipeline))
        case .ready:
            setReady(true, camera)
            loss = nil
            broadcast.emit(.camera(camera.id, role))
            guard isReady, let shown = current?.role else { return nil }
            return .ready(shown, besides: besides.map(\.role), isNew: true)
        case .stalled:
            let message = "no frame for a while; waiting for the camera"
            broadcast.emit(.notice(Notice(.cameraStalled, about: camera.id, message)))
        case .lost(let error):
            lose(error, camera)
            return .lost(error)
        case .recovered: broadcast.emit(.recovered(role))
        case .gone(let error):
            let isNew = gone.updateValue(error, forKey: ObjectIdentifier(camera)) == nil
            if isNew { lose(error, camera) }
            return .gone(error, isNew: isNew)
        case .notice(let notice): broadcast.emit(.notice(notice))
        }
        return nil
    }

    /// Emits a loss, unless the last loss has the same error: the picture, the supervisor and the end of the camera can
    /// report one loss.
    private mutating func lose(_ error: CaptureError, _ camera: SessionCamera) {
        setReady(false, camera)
        if loss != error, let role = role(of: camera) { broadcast.emit(.lost(error, role)) }
        loss = error
    }

    /// The role of a camera in use; `nil` if it is not in use.
    private func role(of camera: SessionCamera) -> CameraRole? {
        current?.camera === camera ? current?.role : besides.first { $0.camera === camera }?.role
    }

    private mutating func setReady(_ isReady: Bool, _ camera: SessionCamera) {
        if current?.camera === camera { current?.isReady = isReady }
        for index in besides.indices where besides[index].camera === camera { besides[index].isReady = isReady }
    }

    /// Waits for a pending switch, then closes all cameras.
    func close() async {
        await switching.finish()
        for camera in all { await camera.close() }
    }
}
