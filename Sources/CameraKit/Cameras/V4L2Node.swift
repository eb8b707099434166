// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Glibc

/// An open Video4Linux2 device node.
///
/// The calls block, with some drivers for seconds. Make them on a separate thread or executor, never on Swift's
/// cooperative pool. Calls from several threads at once are safe, because the driver serializes them. Releasing the
/// last reference closes the node.
package final class V4L2Node: Sendable {
    /// The path by which the node was opened.
    package let path: String
    private let descriptor: Int32

    /// Opens a node for reading and writing, non-blocking (`open(2)`).
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

    /// Rejects all devices but V4L2's (major 81), because opening a device, such as a watchdog, can have effects.
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

    /// Calls the driver (`ioctl(2)`), again if a signal interrupts the call. The argument is the request's C structure.
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
    /// The driver's description of a node (`VIDIOC_QUERYCAP`).
    package struct Capabilities: Sendable, Hashable {
        let driver: String
        let card: String
        let busInfo: String
        /// The capabilities of this node (`device_caps`, or `capabilities` of old drivers).
        let flags: UInt32

        package init(
            driver: String, card: String, busInfo: String, flags: UInt32
        ) {
            self.driver = driver
            self.card = card
            self.busInfo = busInfo
            self.flags = flags
        }

        var capturesPlanar: Bool { flags & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 }
        var captures: Bool { capturesPlanar || flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 }
        var streams: Bool { flags & UInt32(V4L2_CAP_STREAMING) != 0 }
        var needsMediaController: Bool { flags & UInt32(V4L2_CAP_IO_MC) != 0 }
        /// `true` for capture nodes, except codecs and scalers, which capture their own input, and touch pads.
        var isCamera: Bool { captures && streams && flags & Self.otherUses == 0 }

        private static let otherUses =
            UInt32(V4L2_CAP_VIDEO_OUTPUT) | UInt32(V4L2_CAP_VIDEO_OUTPUT_MPLANE) | UInt32(V4L2_CAP_VIDEO_M2M)
            | UInt32(V4L2_CAP_VIDEO_M2M_MPLANE) | UInt32(V4L2_CAP_TOUCH)
    }

    /// Queries the driver for its description of the node (`VIDIOC_QUERYCAP`).
    ///
    /// - Throws: ``CaptureError``, such as `.noCamera` if the node is not a V4L2 device.
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
