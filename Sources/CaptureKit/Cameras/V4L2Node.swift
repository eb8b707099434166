// Part of gst-capture. Apache License 2.0, see LICENSE.

import CVideo4Linux
import Glibc

/// An open Video4Linux2 device node.
///
/// Its calls block, some drivers' for seconds: call them on a thread or executor of your own, never on Swift's
/// cooperative pool. Calls from several threads at once are safe; the driver serialises them. The node is closed when
/// the last reference goes.
final class V4L2Node: Sendable {
    /// The path it was opened by.
    let path: String
    private let descriptor: Int32

    /// Opens a node for reading and writing, without waiting (`open(2)`).
    ///
    /// - Throws: ``CaptureError`` `.permission`, `.temporary` (busy), `.noCamera` or `.inputOutput`.
    init(path: String) throws(CaptureError) {
        try Self.checkKind(of: path)
        var descriptor: Int32
        repeat {
            descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw CaptureError.opening(path, errno) }
        self.path = path
        self.descriptor = descriptor
    }

    /// Opening alone can have effects with other devices, such as a watchdog: touch none but V4L2's (major 81).
    private static func checkKind(of path: String) throws(CaptureError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CaptureError.opening(path, errno) }
        guard status.st_mode & S_IFMT == S_IFCHR, cv4l2_major(status.st_rdev) == 81 else {
            throw CaptureError.notACamera(path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Calls the driver (`ioctl(2)`), again where a signal interrupted. The argument is the request's C structure.
    ///
    /// - Returns: 0, or the error number.
    func call<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        var result: Int32
        repeat {
            result = withUnsafeMutablePointer(to: &argument) { ioctl(descriptor, request, $0) }
        } while result < 0 && errno == EINTR
        return result < 0 ? errno : 0
    }
}

extension V4L2Node {
    /// What a driver says of a node (`VIDIOC_QUERYCAP`).
    struct Capabilities: Sendable, Hashable {
        let driver: String
        let card: String
        let busInfo: String
        /// What this very node can do (`device_caps`, or `capabilities` of old drivers).
        let flags: UInt32

        var capturesPlanar: Bool { flags & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 }
        var captures: Bool { capturesPlanar || flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 }
        var streams: Bool { flags & UInt32(V4L2_CAP_STREAMING) != 0 }
        var needsMediaController: Bool { flags & UInt32(V4L2_CAP_IO_MC) != 0 }
        /// Codecs and scalers capture what was put out on them; touch pads are no cameras.
        var isCamera: Bool { captures && streams && flags & Self.otherUses == 0 }

        private static let otherUses =
            UInt32(V4L2_CAP_VIDEO_OUTPUT) | UInt32(V4L2_CAP_VIDEO_OUTPUT_MPLANE) | UInt32(V4L2_CAP_VIDEO_M2M)
            | UInt32(V4L2_CAP_VIDEO_M2M_MPLANE) | UInt32(V4L2_CAP_TOUCH)
    }

    /// Asks what the node is (`VIDIOC_QUERYCAP`).
    ///
    /// - Throws: ``CaptureError`` `.noCamera` where it is no V4L2 device.
    func capabilities() throws(CaptureError) -> Capabilities {
        var reply = v4l2_capability()
        let code = call(cv4l2_querycap, &reply)
        guard code == 0 else { throw CaptureError.querying(path, code) }
        let hasOwn = reply.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        return Capabilities(
            driver: FixedText.read(reply.driver), card: FixedText.read(reply.card),
            busInfo: FixedText.read(reply.bus_info), flags: hasOwn ? reply.device_caps : reply.capabilities)
    }
}
