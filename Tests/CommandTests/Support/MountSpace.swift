// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// Mounts that only the commands of a test see (`mount_namespaces(7)`), by any user whom the kernel lets have them.
final class MountSpace: Sendable {
    private let holder = Process()

    /// False where the kernel, or who runs the tests, lets nobody mount anything.
    static let isAllowed: Bool = {
        guard let space = try? MountSpace() else { return false }
        return (try? space.run("mount", "-t", "tmpfs", "none", "/mnt")) != nil
    }()

    /// Makes a space that begins with the mounts of all others.
    init() throws {
        let output = Pipe()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        holder.arguments = Self.flags + ["sh", "-c", "echo ready; exec sleep infinity"]
        holder.standardOutput = output
        holder.standardError = FileHandle.nullDevice
        try holder.run()
        guard !output.fileHandleForReading.availableData.isEmpty else { throw Refused() }
    }

    deinit { if holder.isRunning { kill(holder.processIdentifier, SIGKILL) } }

    /// What runs a program with these mounts.
    var launcher: [String] {
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return ["/usr/bin/nsenter", "--target", "\(holder.processIdentifier)", "--mount"] + user + ["--"]
    }

    /// Runs a program to its end.
    func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: launcher[0])
        process.arguments = launcher.dropFirst() + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused() }
    }

    /// A path as it is seen there, from here.
    func path(_ path: String) -> String { "/proc/\(holder.processIdentifier)/root\(path)" }

    private static var flags: [String] { geteuid() == 0 ? ["--mount"] : ["--mount", "--user", "--map-root-user"] }

    struct Refused: Error {}
}
