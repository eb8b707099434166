// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

extension CaptureError {
    /// Says why a device node could not be opened, and what helps.
    ///
    /// - Parameters:
    ///   - code: The error number of `open(2)`.
    ///   - group: The group that may use the node; looked up where it is not given.
    static func opening(_ path: String, _ code: Int32, group: String? = nil) -> CaptureError {
        switch code {
        case EACCES:
            CaptureError(
                .permission, "permission denied", subject: path, advice: adviceToJoin(group ?? owningGroup(of: path)))
        case EPERM:
            CaptureError(
                .permission, "the system forbids its use", subject: path,
                advice: "in a container, pass it in with --device \(path)")
        case EBUSY:
            CaptureError(.temporary, "is busy", subject: path, advice: "close the program that uses it (fuser \(path))")
        case ENOENT, ENOTDIR:
            CaptureError(
                .noCamera, "there is no such device", subject: path, advice: "list cameras with gst-capture cameras")
        case ENODEV, ENXIO:
            CaptureError(.noCamera, "no camera is behind it any more", subject: path, advice: "plug it in again")
        case EMFILE, ENFILE, ENOMEM, EAGAIN:
            CaptureError(.temporary, systemMessage(code), subject: path)
        default:
            CaptureError(.inputOutput, "cannot be opened: \(systemMessage(code))", subject: path)
        }
    }

    /// Says why an open node does not answer.
    static func querying(_ path: String, _ code: Int32) -> CaptureError {
        switch code {
        case ENOTTY, EINVAL: notACamera(path)
        case ENODEV, ENXIO: opening(path, ENODEV)
        default: opening(path, code)
        }
    }

    /// Says that a path is something else than a camera.
    static func notACamera(_ path: String) -> CaptureError {
        CaptureError(.noCamera, "is not a camera", subject: path, advice: "list cameras with gst-capture cameras")
    }

    /// The system's words for an error number (`strerror(3)`), with a small first letter.
    static func systemMessage(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func adviceToJoin(_ group: String?) -> String {
        guard let group, group != "root" else {
            return "only root may use it; let a udev rule give it the group video"
        }
        return "add the user to the group \(group) (sudo usermod -aG \(group) $USER), then log in again"
    }

    /// The group of a node, where it has a name (`stat(2)`, `getgrgid_r(3)`).
    private static func owningGroup(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        var (entry, found) = (group(), UnsafeMutablePointer<group>?.none)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard getgrgid_r(status.st_gid, &entry, buffer.baseAddress, buffer.count, &found) == 0, found != nil,
                let name = entry.gr_name
            else { return nil }
            return String(cString: name)
        }
    }
}
