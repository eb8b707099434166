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

    /// A camera in use, and the role that it plays.
    struct Place {
        let camera: SessionCamera
        let role: CameraRole
        /// `true` while the camera delivers.
        var isReady = false
    }

    private let cameras: [CameraRole: SessionCamera]
    /// The cameras without a preview, for pictures beside the shown one; by role.
    private let unseen: [CameraRole: SessionCamera]
    private let preview: PreviewScreen
    private let broadcast: EventBroadcast<SessionEvent>
    /// The cameras in use: first the one that is shown or being opened, then those beside it.
    private var places: [Place] = []
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

    /// Returns the camera of a role; the usual one for `nil`, and if the role has none.
    func camera(for role: CameraRole?) -> SessionCamera? { role.flatMap { cameras[$0] } ?? cameras[usual] }

    /// The camera that is shown or being opened; `nil` before the first is used.
    var current: Place? { places.first }

    /// The shown camera and those beside it; empty before the first is used.
    var used: [SessionCamera] { places.map(\.camera) }

    /// `true` if at least one camera is not lost, or is still being recovered.
    var hasOther: Bool { !cameras.values.allSatisfy(isGone) }

    /// Shows the camera of a role, or the usual camera if the role has none, and opens others beside it. The cameras are
    /// opened in a task, and their events follow.
    ///
    /// - Returns: The state of the cameras if they are in use already; else empty.
    mutating func use(_ role: CameraRole, besides roles: [CameraRole] = []) -> [Change] {
        guard let camera = self.camera(for: role) else { return [] }
        let (former, isShown) = (places, current?.camera === camera)
        let besides = roles.compactMap { beside($0, of: former) }
        places = [Place(camera: camera, role: role, isReady: isShown && former[0].isReady)] + besides
        let opening = besides.map(\.camera).filter { camera in
            isGone(camera) || !former.contains { $0.camera === camera }
        }
        let resting = former.map(\.camera).filter { camera in !used.contains { $0 === camera } }
        // Another program may have released the cameras since.
        for camera in opening + (isShown ? [] : [camera]) { gone[ObjectIdentifier(camera)] = nil }
        if isShown {
            open(opening, after: resting)
            let failure = gone[ObjectIdentifier(camera)].map { Change.gone($0, isNew: false) }
            return (isReady ? [.ready(role, besides: roles, isNew: false)] : []) + (failure.map { [$0] } ?? [])
        }
        loss = nil
        open([camera] + opening, after: resting, holding: !former.isEmpty)
        return []
    }

    /// Returns the place beside the shown camera for a role: the former one, unless its camera is gone.
    private func beside(_ role: CameraRole, of former: [Place]) -> Place? {
        former.dropFirst().first { $0.role == role && !isGone($0.camera) }
            ?? unseen[role].map { Place(camera: $0, role: role) }
    }

    private func isGone(_ camera: SessionCamera) -> Bool { gone[ObjectIdentifier(camera)] != nil }

    /// `true` while all used cameras deliver.
    private var isReady: Bool { !places.isEmpty && places.allSatisfy(\.isReady) }

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
        guard let index = places.firstIndex(where: { $0.camera === camera }) else { return nil }
        let role = places[index].role
        switch event {
        case .opening(let pipeline): broadcast.emit(.opening(camera: camera.id, role, pipeline: pipeline))
        case .ready:
            places[index].isReady = true
            loss = nil
            broadcast.emit(.camera(camera.id, role))
            return isReady ? .ready(places[0].role, besides: places.dropFirst().map(\.role), isNew: true) : nil
        case .stalled:
            let message = "no frame for a while; waiting for the camera"
            broadcast.emit(.notice(Notice(.cameraStalled, about: camera.id, message)))
        case .lost(let error):
            lose(error, at: index)
            return .lost(error)
        case .recovered: broadcast.emit(.recovered(role))
        case .gone(let error):
            let isNew = gone.updateValue(error, forKey: ObjectIdentifier(camera)) == nil
            if isNew { lose(error, at: index) }
            return .gone(error, isNew: isNew)
        case .notice(let notice): broadcast.emit(.notice(notice))
        }
        return nil
    }

    /// Emits a loss, unless the last loss has the same error: the picture, the supervisor and the end of the camera can
    /// report one loss.
    private mutating func lose(_ error: CaptureError, at index: Int) {
        places[index].isReady = false
        if loss != error { broadcast.emit(.lost(error, places[index].role)) }
        loss = error
    }

    /// Waits for a pending switch, then closes all cameras.
    func close() async {
        await switching.finish()
        for camera in all { await camera.close() }
    }
}
