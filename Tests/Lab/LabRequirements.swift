// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// What the lab needs of this machine.
enum LabRequirements {
    /// Why the lab cannot run here, for people; `nil` where it can, and where it has to.
    ///
    /// Continuous integration has to run it, so nothing is ever missing there: a lab that does not start fails.
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

    /// Programs that the lab's scripts and its tests call, and what brings them.
    private static let packages: [(tool: String, package: String)] = [
        ("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static"), ("cpio", "cpio"),
        ("depmod", "kmod"), ("udevadm", "udev"), ("v4l2-ctl", "v4l-utils"), ("gst-launch-1.0", "gstreamer1.0-tools"),
        ("djpeg", "libjpeg-turbo-progs"), ("exiftool", "libimage-exiftool-perl"),
    ]

    private static func isInstalled(_ tool: String) -> Bool {
        let folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"]
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
}
