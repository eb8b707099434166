// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The group that may use a device node.
enum OwningGroup: Sendable, Hashable {
    case named(String)
    /// A group without a name, as in a container that lacks the machine's groups.
    case number(gid_t)
}

extension CaptureError {
    /// Returns the error for a device node that could not be opened, with a remedy.
    ///
    /// - Parameters:
    ///   - code: The error number of `open(2)`, `stat(2)` or `ioctl(2)`.
    ///   - group: The group that may use the node; `nil` to look it up.
    static func opening(_ path: String, _ code: Int32, group: OwningGroup? = nil) -> CaptureError {
        switch code {
        case EACCES:
            CaptureError(
                .permission, "permission denied", subject: path,
                advice: (group ?? owningGroup(of: path)).map(adviceToJoin) ?? "ls -lL \(path) shows who may use it")
        case EPERM:
            CaptureError(
                .permission, "the system denies access", subject: path,
                advice: "in a container, pass it in with --device \(path)")
        case EBUSY:
            CaptureError(
                .temporary, "is busy", subject: path,
                advice: "close the program that uses it (fuser \(path)); if there is none, reconnect it")
        case ENOENT, ENOTDIR:
            CaptureError(
                .noCamera, "there is no such device", subject: path, advice: "list cameras with gst-capture cameras")
        case ENODEV, ENXIO:
            CaptureError(.noCamera, "its camera is not connected", subject: path, advice: "plug it in again")
        case EMFILE, ENFILE, ENOMEM, EAGAIN:
            CaptureError(.temporary, systemMessage(code), subject: path)
        default:
            CaptureError(.inputOutput, "cannot be opened: \(systemMessage(code))", subject: path)
        }
    }

    /// Returns the error for an ioctl that failed on an open node.
    static func querying(_ path: String, _ code: Int32) -> CaptureError {
        switch code {
        case ENOTTY, EINVAL: notACamera(path)
        case EIO: CaptureError(.inputOutput, "does not answer", subject: path, advice: "reconnect it")
        default: opening(path, code)
        }
    }

    /// Returns the error for a path that is not a camera.
    static func notACamera(_ path: String) -> CaptureError {
        CaptureError(.noCamera, "is not a camera", subject: path, advice: "list cameras with gst-capture cameras")
    }

    private static func adviceToJoin(_ group: OwningGroup) -> String {
        switch group {
        case .named("root"), .number(0): "only root may use it; let a udev rule give it the group video"
        case .named(let name):
            "add the user to the group \(name) (sudo usermod -aG \(name) $USER), then log in again"
        case .number(let number):
            "the group \(number), which has no name here, may use it; in a container, join it with --group-add \(number)"
        }
    }

    /// Returns the group of a node (`stat(2)`); `nil` if it cannot be determined.
    private static func owningGroup(of path: String) -> OwningGroup? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return name(ofGroup: status.st_gid).map(OwningGroup.named) ?? .number(status.st_gid)
    }

    /// Returns the name of a group (`getgrgid_r(3)`); `nil` if it has none.
    ///
    /// - Parameter size: The first size of the buffer, in bytes. It doubles, up to 1 MiB, while the group's entry, with
    ///   the names of all members, does not fit (`ERANGE`).
    static func name(ofGroup number: gid_t, size: Int = 16384) -> String? {
        var size = size
        while size <= 1 << 20 {
            var (entry, found, code) = (group(), UnsafeMutablePointer<group>?.none, Int32(0))
            let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> String? in
                code = getgrgid_r(number, &entry, buffer.baseAddress, buffer.count, &found)
                guard code == 0, found != nil, let name = entry.gr_name else { return nil }
                return String(cString: name)
            }
            guard code == ERANGE else { return name }
            size *= 2
        }
        return nil
    }
}

extension CaptureError {
    /// Returns the error for a control that a driver refused.
    static func control(_ code: Int32, _ message: String, _ path: String) -> CaptureError {
        switch code {
        case EBUSY:
            CaptureError(
                .temporary, "\(message): it is in use", subject: path, advice: "try again once streaming stops")
        case EACCES:
            CaptureError(
                .usage, "\(message) now", subject: path, advice: "turn off the automatic control that overrides it")
        case ERANGE, EINVAL:
            CaptureError(.usage, "\(message): the camera does not accept this value", subject: path)
        case EPERM:
            CaptureError(.permission, message, subject: path, advice: "get permission to control this camera")
        case ENODEV, ENXIO: querying(path, code)
        default: CaptureError(.inputOutput, "\(message): \(systemMessage(code))", subject: path)
        }
    }
}
