// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The privacy of sessions` {
    /// A shell that sets a umask and then executes the command.
    private func shell(_ mask: String) -> [String] { ["/bin/sh", "-c", "umask \(mask); exec \"$0\" \"$@\""] }

    /// The permissions of a folder and of each file in it, in octal.
    private func modes(of folder: String) throws -> Set<String> {
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: folder)
        return Set(
            try ([""] + names).map { name in
                let path = name.isEmpty ? folder : folder + "/" + name
                let mode = try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
                return (name.isEmpty ? "folder " : "file ") + String(mode, radix: 8)
            })
    }

    @Test(arguments: ["000", "022", "077", "377"])
    func `A session stores its folder and its files for their owner alone at any umask`(mask: String) async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let out = command.folder.path + "/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--auto", "--json", "-o", "out", in: command, launcher: shell(mask))
        try await process.hurry()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let folder = try #require(try SessionDesk.folders(in: URL(filePath: out)).first)
        #expect(try modes(of: folder) == ["folder 700", "file 600"])
    }

    @Test func `A session that other users could read is private once it is resumed`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let name = try await RunningCommand.leaveSession("quick.yaml", in: command)
        let folder = command.folder.path + "/" + name
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) { chmod(folder + "/" + name, 0o644) }
        chmod(folder, 0o755)
        let resumed = try RunningCommand.session("resume", folder, "--auto", "--json", in: command)
        try await resumed.hurry { $0["phase"] == "capturing" }
        // The modes at this moment: no file comes or goes while they are read.
        resumed.send(SIGKILL)
        _ = await resumed.outcome()
        #expect(try modes(of: folder) == ["folder 700", "file 600"])
    }

    @Test func `A picture of snap keeps the permissions that the umask gives`() async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            ["snap", "--camera", "scene", "--width", "160", "--height", "120", "-o", "a.jpg"], in: command.folder,
            launcher: shell("022")
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let attributes = try FileManager.default.attributesOfItem(atPath: command.folder.path + "/a.jpg")
        #expect(attributes[.posixPermissions] as? Int == 0o644)
    }
}
