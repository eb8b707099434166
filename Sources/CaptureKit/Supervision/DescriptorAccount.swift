// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// How many descriptors this process has, and which of them keep memory of a camera that is closed.
///
/// Where a driver does not start to stream (`VIDIOC_STREAMON`), GStreamer's v4l2src keeps the buffers of that attempt, four
/// or five descriptors, until the process ends (1.22 does; with `io-mode=mmap` it keeps the camera itself). Before there is
/// nothing left for pictures and ledger, a new process has to go on.
struct DescriptorAccount: Sendable, Hashable {
    /// How many are open.
    var open: Int
    /// How many may be (`RLIMIT_NOFILE`).
    var limit: Int
    /// How many are buffers that drivers share (dma-buf).
    var buffers: Int
    /// The bytes behind these.
    var bufferBytes: Int
    /// The bytes of this machine's memory.
    var memory: Int

    /// What pictures, the ledger, commands and one more attempt need; less where there never are many.
    private var reserve: Int { min(64, limit / 4) }

    /// Why no further attempt to open a camera is made; `nil` where there is enough left for it.
    ///
    /// Every buffer that is open while no camera is was kept.
    func exhaustion(of camera: String) -> CaptureError? {
        let left = limit - open
        guard left < reserve || bufferBytes > memory / 4 else { return nil }
        let kept = "\(buffers) buffers with \(ByteSize.text(bufferBytes))"
        return CaptureError(
            .wedged, "\(left) of \(limit) descriptors are left: GStreamer has kept \(kept) of attempts that failed",
            subject: camera, advice: "start gst-capture again, a timelapse with --resume")
    }
}

extension DescriptorAccount {
    /// The account now (`/proc/self/fd`). It costs some microseconds a descriptor.
    static func current() -> DescriptorAccount {
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
