// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import PipelineKit

/// A camera that the test controls while a session uses it: its frames come through shared memory.
struct SharedCamera {
    /// Delivers the camera's frames. The videotestsrc is named `scene`, and a valve behind it `valve`.
    let source: String

    private let scene: String
    private let pipeline: Pipeline
    private let plug: CameraPlug

    /// Starts the camera.
    ///
    /// - Parameter scene: The properties of its videotestsrc.
    init(_ scene: String = "", isValveOpen: Bool = true) async throws {
        try await self.init(scene, isValveOpen: isValveOpen, CameraPlug(in: TemporaryFolder()))
    }

    private init(_ scene: String, isValveOpen: Bool, _ plug: CameraPlug) async throws {
        let caps = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
        (self.scene, self.plug) = (scene, plug)
        source = "shmsrc socket-path=\(plug.path) is-live=true do-timestamp=true ! \(caps)"
        // The socket of the camera before may still be there.
        let socket = "\(plug.path)-\(UUID().uuidString.prefix(8))"
        pipeline = try Pipeline(
            "videotestsrc name=scene is-live=true \(scene) ! \(caps) ! valve name=valve drop=\(!isValveOpen)"
                + " ! shmsink socket-path=\(socket) wait-for-connection=false sync=false async=false")
        try await pipeline.play()
        try plug.insert(socket)
    }

    /// Passes frames on if `isOpen` is `true`.
    func setValve(isOpen: Bool) throws { try pipeline.element(named: "valve").set("drop", to: !isOpen) }

    /// Moves the scene sideways by this many pixels in each frame, as shake does.
    func move(by pixels: Int) throws { try pipeline.element(named: "scene").set("horizontal-speed", to: pixels) }

    /// Stops the camera: a session that uses it loses it.
    func stop() async throws {
        try plug.pull()
        try await pipeline.stop()
    }

    /// Starts the camera again after ``stop()``, with an open valve. It has the same ``source``.
    func restarted() async throws -> SharedCamera { try await SharedCamera(scene, isValveOpen: true, plug) }
}

/// The path to the socket of a camera. While there is no camera, it leads to a socket that closes each connection: if
/// nothing answers, `shmsrc` logs a critical (`gst_poll_remove_fd`), which ends the tests.
private final class CameraPlug: Sendable {
    let path: String

    private let folder: TemporaryFolder
    private let listener: Int32

    init(in folder: TemporaryFolder) throws {
        (self.folder, path) = (folder, folder.path + "/camera")
        listener = try Self.listen(at: folder.path + "/none")
        try pull()
        Thread.detachNewThread { [listener] in
            // Ends when the listener is shut down.
            while case let connection = accept(listener, nil, nil), connection >= 0 { close(connection) }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func insert(_ socket: String) throws {
        // One step, so that a session finds either.
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: socket)
        guard rename(path + ".new", path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    func pull() throws { try insert(folder.path + "/none") }

    private static func listen(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
        }
        guard isBound, Glibc.listen(listener, 16) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return listener
    }
}
