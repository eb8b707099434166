// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The cameras of a session: which one is shown, and which ones are lost for good.
struct SessionCameras {
    private let cameras: [CameraRole: SessionCamera]
    /// The camera that is shown, and the role that it plays.
    private(set) var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The error with which the shown camera was lost, until it delivers.
    private var loss: CaptureError?
    /// The errors of cameras that are lost for good, until they are opened again. One camera can play both roles.
    private var gone: [ObjectIdentifier: CaptureError] = [:]

    init(_ cameras: [CameraRole: SessionCamera]) { self.cameras = cameras }

    /// All cameras: one for each role that the configuration names.
    var all: some Collection<SessionCamera> { cameras.values }

    /// The role that is used first.
    var usual: CameraRole { CameraRole.allCases.first { cameras[$0] != nil } ?? .front }

    /// The result of using a role.
    enum Use {
        /// There is no camera.
        case nothing
        /// The camera is shown already; the error is set if it is lost for good.
        case same(SessionCamera, isReady: Bool, CaptureError?)
        /// The camera must be opened, after the former one was closed.
        case other(SessionCamera, former: SessionCamera?)
    }

    /// Uses the camera of a role, or else the only one.
    mutating func use(_ role: CameraRole) -> Use {
        guard let camera = cameras[role] ?? cameras[role.other] else { return .nothing }
        let former = current
        if let former, former.camera === camera {
            current = (camera, role, former.isReady)
            return .same(camera, isReady: former.isReady, gone[ObjectIdentifier(camera)])
        }
        (current, loss) = ((camera, role, false), nil)
        // Another program may have released the camera since.
        gone[ObjectIdentifier(camera)] = nil
        return .other(camera, former: former?.camera)
    }

    /// The role of a camera if it is shown; `nil` if not.
    func role(of camera: SessionCamera) -> CameraRole? { current?.camera === camera ? current?.role : nil }

    /// Records that the shown camera delivers.
    mutating func setReady() {
        current?.isReady = true
        loss = nil
    }

    /// Records that the shown camera is lost.
    ///
    /// - Returns: `true` if it was not lost with this error already: several parts of the program notice a loss.
    mutating func lose(_ error: CaptureError) -> Bool {
        current?.isReady = false
        defer { loss = error }
        return loss != error
    }

    /// Records that a camera is lost for good.
    ///
    /// - Returns: `true` if this is new.
    mutating func giveUp(_ camera: SessionCamera, _ error: CaptureError) -> Bool {
        gone.updateValue(error, forKey: ObjectIdentifier(camera)) == nil
    }

    /// `true` if a camera is left that is not lost for good.
    var hasOther: Bool { cameras.values.contains { gone[ObjectIdentifier($0)] == nil } }
}
