// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A camera that a service of this machine holds.
public struct ServedCamera: Sendable, Hashable {
    /// The path of the service's Unix socket.
    package let socket: String
    /// The ID of the camera in the service.
    package let id: String

    package init(socket: String, id: String) { (self.socket, self.id) = (socket, id) }

    /// `true` for up to 64 letters, digits, `-` and `_`.
    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "-") }
    }
}

extension Camera {
    /// The camera as its device, for a service that has ended. The scene of a service exists only in the service.
    package var withoutService: Camera {
        var camera = self
        if kind != .scene { camera.service = nil }
        return camera
    }
}

extension ServedCamera: CustomStringConvertible {
    /// The name with which `--camera` selects it: `service:garden`.
    public var description: String { "service:\(id)" }
}
