// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The devices from which libcamera takes the memory of frames: `/dev/dma_heap` and `/dev/udmabuf`.
///
/// Without them libcamera still lists its cameras, and GStreamer's plugin starts them, but most of them never deliver a
/// frame and report no error.
package enum FrameMemory {
    /// The reason why libcamera gets no memory for frames; `nil` if this process may use one of the devices.
    package static var problem: CaptureError? {
        let heaps = DeviceFiles.names(in: "/dev/dma_heap").sorted()
        return problem(of: heaps.map { "/dev/dma_heap/\($0)" } + ["/dev/udmabuf"])
    }

    /// - Parameter devices: The paths of possible devices. A path without a device counts for nothing.
    static func problem(of devices: [String]) -> CaptureError? {
        var problem: CaptureError?
        for path in devices {
            guard access(path, R_OK | W_OK) != 0 else { return nil }
            if errno != ENOENT { problem = problem ?? refusal(of: path, errno) }
        }
        return problem ?? missing
    }

    private static let missing = CaptureError(
        .configuration, "the kernel has neither /dev/dma_heap nor /dev/udmabuf",
        advice: "use a kernel with one of them, such as Debian 13's")

    private static func refusal(of path: String, _ code: Int32) -> CaptureError {
        guard code == EPERM else { return .opening(path, code) }
        return CaptureError(
            .permission, "the system denies access", subject: path,
            advice: "in a unit of systemd, set DeviceAllow=char-dma_heap rw; in a container, pass in --device \(path)")
    }
}
