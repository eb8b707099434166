// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

extension HealthCheck {
    /// Checks the permissions of the camera nodes.
    static func permissions() -> HealthCheck {
        let nodes = SystemFile.names(in: "/dev").filter { $0.hasPrefix("video") }.map { "/dev/\($0)" }
        guard !nodes.isEmpty else {
            return .warning(
                "permissions", "no camera node /dev/video*",
                "plug a camera in, or use --camera scene; dmesg shows the kernel's messages")
        }
        let closed = nodes.filter { access($0, R_OK | W_OK) != 0 }
        guard let first = closed.first else {
            return .good("permissions", "access to \(nodes.joined(separator: ", "))")
        }
        let group = owningGroup(of: first) ?? "video"
        return .failure(
            "permissions", "no access to \(closed.joined(separator: ", "))",
            "sudo usermod -aG \(group) $USER, then log in again", code: .permission)
    }

    /// Checks all cameras, or one.
    ///
    /// - Parameter needed: The camera that must be available; `nil` to check all.
    static func cameras(needed: String?) async -> [HealthCheck] {
        guard let needed else { return await CameraFinder.all().filter { $0.kind != .scene }.map(check) }
        do throws(CaptureError) {
            return [check(try await CameraFinder.resolve(needed))]
        } catch {
            return [.failure("camera", error)]
        }
    }

    private static func check(_ camera: Camera) -> HealthCheck {
        if let problem = camera.problem { return .failure("camera", problem) }
        if camera.kind == .scene || camera.isUsable { return .good("camera", "\(camera.id), \(camera.name)") }
        let advice = camera.needsMediaController ? "use it through libcamera" : "see gst-capture cameras"
        return .warning("camera", "\(camera.id) gives no pictures by itself", advice)
    }

    private static func owningGroup(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = getgrgid(status.st_gid) else { return nil }
        return String(cString: entry.pointee.gr_name)
    }
}
