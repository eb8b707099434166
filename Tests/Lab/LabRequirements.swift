// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// The requirements of the lab on this machine.
enum LabRequirements {
    /// The reason why the lab cannot run here; `nil` if it can, or if it must.
    ///
    /// Continuous integration must run the lab, so this is always `nil` there: a lab that does not start fails.
    static let obstacle: String? = {
        #if arch(x86_64)
        guard ProcessInfo.processInfo.environment["CI"] != "true" else { return nil }
        let missing = packages.filter { !isInstalled($0.tool) }.map(\.package)
        guard !missing.isEmpty else { return nil }
        return "missing packages: \(missing.joined(separator: " ")); run scripts/setup test"
        #else
        return "optional: the lab's machine is an amd64 one, and so must be this one"
        #endif
    }()

    /// Programs that the lab's scripts and tests call, and their packages.
    private static let packages: [(tool: String, package: String)] = [
        ("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static"), ("cpio", "cpio"),
        ("depmod", "kmod"), ("udevadm", "udev"), ("v4l2-ctl", "v4l-utils"), ("gst-launch-1.0", "gstreamer1.0-tools"),
        ("djpeg", "libjpeg-turbo-progs"), ("ffmpeg", "ffmpeg"), ("exiftool", "libimage-exiftool-perl"),
        ("curl", "curl"),
    ]

    private static func isInstalled(_ tool: String) -> Bool {
        let folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"]
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
}
