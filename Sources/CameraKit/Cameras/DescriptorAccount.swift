// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The number of descriptors of this process, and the number of those that keep memory of a closed camera.
///
/// If a driver does not start to stream (`VIDIOC_STREAMON`), GStreamer's v4l2src keeps the buffers of that attempt,
/// four or five descriptors, until the process ends (1.22 does; with `io-mode=mmap` it keeps the camera itself). A new
/// process must continue before the descriptors for pictures and ledger are used up.
package struct DescriptorAccount: Sendable, Hashable {
    /// The number of open descriptors.
    var open: Int
    /// The most descriptors that may be open (`RLIMIT_NOFILE`).
    var limit: Int
    /// The number of buffers that drivers share (dma-buf).
    var buffers: Int
    /// The bytes of these buffers.
    var bufferBytes: Int
    /// The bytes of this machine's memory.
    var memory: Int

    /// The descriptors for pictures, the ledger, commands and one more attempt; fewer if the limit is low.
    private var reserve: Int { min(64, limit / 4) }

    /// Returns the error that forbids another attempt to open a camera; `nil` if enough descriptors and memory are
    /// left.
    ///
    /// Call this while no camera is open: then every open buffer is one that GStreamer has kept.
    package func exhaustion(of camera: String) -> CaptureError? {
        let left = limit - open
        guard left < reserve || bufferBytes > memory / 4 else { return nil }
        let kept = "\(buffers) buffers with \(ByteSize.text(bufferBytes))"
        return CaptureError(
            .wedged, "\(left) of \(limit) descriptors are left: GStreamer holds \(kept) of failed attempts",
            subject: camera, advice: "restart gst-capture; resume a timelapse with --resume")
    }
}

extension DescriptorAccount {
    /// Counts the descriptors now (`/proc/self/fd`), which takes some microseconds for each.
    package static func current() -> DescriptorAccount {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let descriptors = DeviceFiles.names(in: folder).compactMap { Int32($0) }
        let buffers = descriptors.filter(isBuffer)
        return DescriptorAccount(
            open: descriptors.count, limit: Int(clamping: limits.rlim_cur), buffers: buffers.count,
            bufferBytes: buffers.reduce(0) { $0 + max(0, lseek($1, 0, SEEK_END)) },
            memory: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
    }

    private static let folder = "/proc/self/fd"

    private static func isBuffer(_ descriptor: Int32) -> Bool {
        var target = [UInt8](repeating: 0, count: 16)
        let length = readlink("\(folder)/\(descriptor)", &target, target.count)
        return length > 0 && target.starts(with: "/dmabuf:".utf8)
    }
}
