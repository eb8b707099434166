// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit

/// A camera that the test controls while a session uses it: its frames come through shared memory.
struct SharedCamera {
    /// Delivers the camera's frames. The videotestsrc is named `scene`, and a valve behind it `valve`.
    let source: String

    private let scene: String
    private let pipeline: Pipeline
    private let folder: TemporaryFolder

    /// Starts the camera.
    ///
    /// - Parameter scene: The properties of its videotestsrc.
    init(_ scene: String = "", isValveOpen: Bool = true) async throws {
        try await self.init(scene, isValveOpen: isValveOpen, in: TemporaryFolder())
    }

    private init(_ scene: String, isValveOpen: Bool, in folder: TemporaryFolder) async throws {
        let caps = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
        (self.scene, self.folder) = (scene, folder)
        let socket = "socket-path=\(folder.path)/camera"
        source = "shmsrc \(socket) is-live=true do-timestamp=true ! \(caps)"
        pipeline = try Pipeline(
            "videotestsrc name=scene is-live=true \(scene) ! \(caps) ! valve name=valve drop=\(!isValveOpen)"
                + " ! shmsink \(socket) wait-for-connection=false sync=false async=false")
        try await pipeline.play()
    }

    /// Passes frames on if `isOpen` is `true`.
    func setValve(isOpen: Bool) throws { try pipeline.element(named: "valve").set("drop", to: !isOpen) }

    /// Moves the scene sideways by this many pixels in each frame, as shake does.
    func move(by pixels: Int) throws { try pipeline.element(named: "scene").set("horizontal-speed", to: pixels) }

    /// Stops the camera: a session that uses it loses it.
    func stop() async throws { try await pipeline.stop() }

    /// Starts the camera again after ``stop()``, with an open valve. It has the same ``source``.
    func restarted() async throws -> SharedCamera { try await SharedCamera(scene, isValveOpen: true, in: folder) }
}
