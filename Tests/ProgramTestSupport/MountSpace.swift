// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// Mounts that only programs of a test see (`mount_namespaces(7)`), for any user whom the kernel lets mount.
package final class MountSpace: Sendable {
    private let holder: ChildProgram

    /// `false` if the kernel or the sandbox of the tests does not allow to mount.
    package static let isAllowed: Bool = {
        guard let space = try? MountSpace() else { return false }
        return (try? space.run("mount", "-t", "tmpfs", "none", "/mnt")) != nil
    }()

    /// Creates a space that begins with the mounts of the machine.
    package init() throws {
        let output = Pipe()
        let line = ["unshare"] + Self.flags + ["sh", "-c", "echo ready; exec sleep infinity"]
        holder = try ChildProgram(line, output: .pipe(output), error: .null)
        guard !output.fileHandleForReading.availableData.isEmpty else { throw Refused() }
    }

    deinit { holder.send(SIGKILL) }

    /// A program with arguments that runs another program with these mounts.
    package var launcher: [String] {
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return ["/usr/bin/nsenter", "--target", "\(holder.identifier)", "--mount"] + user + ["--"]
    }

    /// Runs a program to its end.
    package func run(_ arguments: String...) throws {
        guard try ChildProgram(launcher + arguments, error: .null).wait() == 0 else { throw Refused() }
    }

    /// The path by which the test sees a path inside the space.
    package func path(_ path: String) -> String { "/proc/\(holder.identifier)/root\(path)" }

    private static var flags: [String] { geteuid() == 0 ? ["--mount"] : ["--mount", "--user", "--map-root-user"] }

    /// The system refused a mount.
    package struct Refused: Error {
        package init() {}
    }
}
