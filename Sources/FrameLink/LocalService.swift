// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import Glibc
import SystemBase

/// A service of this machine, at its Unix socket.
package struct LocalService: Sendable {
    /// The path of the socket.
    package let socket: String

    /// The name of the socket in its folder.
    package static let socketName = "gst-capture/serve.sock"
    /// The variable with the path of the socket; empty for no service.
    package static let variable = "GST_CAPTURE_SOCKET"
    /// How long the service may take for a short response, in seconds.
    private static let patience = 15

    package init(socket: String) { self.socket = socket }

    /// The paths of sockets to try: that of `$GST_CAPTURE_SOCKET`, or those of the user's and the system's service.
    package static var candidates: [String] {
        if let chosen = getenv(variable) {
            let path = String(cString: chosen)
            return path.isEmpty ? [] : [path]
        }
        return [userSocket, "/run/\(socketName)"].compactMap { $0 }
    }

    /// The socket of the user's service; `nil` if the user has no folder for it.
    package static var userSocket: String? {
        guard let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), folder.hasPrefix("/") else {
            return nil
        }
        return "\(folder)/\(socketName)"
    }

    /// The services whose sockets exist. A command without a service pays only for `access(2)`.
    package static var present: [LocalService] {
        candidates.filter { access($0, F_OK) == 0 }.map(LocalService.init(socket:))
    }

    /// Performs a request, and returns the JSON object of the response.
    ///
    /// - Throws: The error of the service, and those of the connection.
    func exchange(_ request: LocalRequest) async throws(CaptureError) -> JSONNode {
        let text = try await BlockingWork.run { [self] () throws(CaptureError) in try perform(request) }
        return try JSONNode(text, path: "unix:" + socket, levels: 12, mostValues: 100_000)
    }

    private func perform(_ request: LocalRequest) throws(CaptureError) -> String {
        let connection = try LocalConnection(socket)
        connection.limitReceiving(to: Self.patience)
        let response = try LocalResponse(to: request, on: connection)
        let body = try response.body()
        guard (200...299).contains(response.status) else { throw CaptureError(problem: body, status: response.status) }
        guard let text = String(validating: body, as: UTF8.self) else { throw response.damaged("is not UTF-8") }
        return text.isEmpty ? "{}" : text
    }
}

// MARK: - Cameras

extension LocalService {
    /// Returns the cameras of the service that are connected, as the camera catalog would describe them.
    package func cameras() async throws(CaptureError) -> [Camera] {
        let node = try await exchange(LocalRequest(target: "/api/v1/frames"))
        var cameras: [Camera] = []
        for entry in try node.list("cameras") { cameras.append(try Camera(entry, at: socket)) }
        return cameras
    }

    /// Returns the camera of a service that holds `camera`; `nil` if no service does. A service that does not respond
    /// holds none: opening the camera then shows whether another program has it.
    package static func standIn(for camera: Camera) async -> Camera? {
        guard camera.kind != .scene else { return nil }
        for service in present {
            let cameras = (try? await service.cameras()) ?? []
            if var found = cameras.first(where: { $0.isSameDevice(as: camera) }) {
                (found.id, found.formats, found.hardware) = (camera.id, camera.formats, camera.hardware)
                return found
            }
        }
        return nil
    }

    /// Returns the camera of a service that `text` names, as ``CameraCatalog/resolve(_:)`` reads it; `nil` if there is
    /// none. It is for users who may use the service, and not the device.
    package static func camera(named text: String) async -> Camera? {
        let text = FixedText.trimmed(text)
        for service in present {
            let cameras = ((try? await service.cameras()) ?? []).filter { $0.kind != .scene }
            if text == CameraCatalog.automatic, let first = cameras.first { return first }
            if let found = cameras.first(where: { $0.id == text || $0.path == text || $0.aliases.contains(text) }) {
                return found
            }
        }
        return nil
    }

    /// The prefix of a camera's name with an ID of the service.
    package static let prefix = "service:"

    /// Returns the camera that a service knows by an ID: any camera, the scene and elements too.
    ///
    /// - Throws: `CaptureError` `.noCamera` if no service runs, or it has no such camera.
    package static func camera(id: String) async throws(CaptureError) -> Camera {
        var (names, failure): ([String], CaptureError?) = ([], nil)
        for service in present {
            do throws(CaptureError) {
                let cameras = try await service.cameras()
                if let found = cameras.first(where: { $0.service?.id == id }) { return found }
                names += cameras.compactMap(\.service?.id)
            } catch {
                if error.code != .noInput { failure = error }
            }
        }
        if let failure { throw failure }
        let there = names.isEmpty ? "no service with cameras runs" : "it has \(names.joined(separator: ", "))"
        throw CaptureError(
            .noCamera, "the service has no such camera that is connected; \(there)", subject: prefix + id,
            advice: names.isEmpty ? "start one with gst-capture serve" : nil)
    }
}

extension Camera {
    /// Reads the description of a camera that a service holds.
    fileprivate init(_ node: JSONNode, at socket: String) throws(CaptureError) {
        let device = try node.object("device")
        guard let kind = Kind(rawValue: try device.text("kind")) else { throw device.wrong("has no known kind") }
        let id = try node.text("id")
        guard ServedCamera.isID(id) else { throw node.wrong("\(id.quoted) is no ID") }
        self.init(
            id: try device.text("id").withoutControls, name: try device.text("name").withoutControls, kind: kind,
            path: try device.optionalText("path"), driver: try device.optionalText("driver"),
            busInfo: try device.optionalText("bus"), serial: try device.optionalText("serial"))
        make = try device.optionalText("make")
        model = try device.optionalText("model")
        service = ServedCamera(socket: socket, id: id)
    }

    /// `true` if both are the same device of this machine.
    fileprivate func isSameDevice(as other: Camera) -> Bool {
        kind == other.kind && (id == other.id || path != nil && path == other.path)
    }
}

// MARK: - Controls

extension LocalService {
    /// Returns the controls of a camera, after it has reset all, if requested, and then set these.
    ///
    /// - Throws: The errors of the service: `CaptureError` `.usage` for an unknown control or a wrong value.
    package static func controls(
        of camera: ServedCamera, reset: Bool, settings: [ControlAssignment]
    ) async throws(CaptureError) -> [CameraControl] {
        let service = LocalService(socket: camera.socket)
        let target = "/api/v1/cameras/\(camera.id)/controls"
        if reset { _ = try await service.exchange(LocalRequest(method: "POST", target: target + "/reset")) }
        let values = settings.map { JSONValue.Member(name: $0.name, value: .string($0.value)) }
        let node = try await service.exchange(
            settings.isEmpty
                ? LocalRequest(target: target)
                : LocalRequest(method: "PATCH", target: target, body: .object(values)))
        var controls: [CameraControl] = []
        for entry in try node.list("controls") { controls.append(try CameraControl(entry)) }
        return controls
    }
}
