// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import Testing

@Suite("Copies of the command")
struct InstalledCopiesTests {
    /// A machine with a program of `make install` in `local`, and one of the package in `usr`; each has a unit.
    private struct Machine {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("copies-\(UUID().uuidString)")

        init(_ prefixes: String...) throws {
            for prefix in prefixes {
                try write("", "\(prefix)/bin/capture-copy", permissions: 0o755)
                let command = "[Service]\nExecStart=\(folder.path)/\(prefix)/bin/capture-copy serve\n"
                try write(command, "\(prefix)/units/copy.service", permissions: 0o644)
            }
        }

        func write(_ text: String, _ name: String, permissions: Int) throws {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        }

        /// Finds the conflicts of the copy in `prefix`, for a shell and a systemd that search in the given order.
        func conflicts(
            running prefix: String, path: [String] = ["local", "usr"], units: [String] = ["local", "usr"]
        ) -> [String] {
            let copies = InstalledCopies(
                of: "capture-copy", path: path.map { "\(folder.path)/\($0)/bin" }.joined(separator: ":"),
                units: ["copy.service", "none.service"], unitFolders: units.map { "\(folder.path)/\($0)/units" })
            return copies.conflicts(running: "\(folder.path)/\(prefix)/bin/capture-copy")
                .map { $0.replacing(folder.path, with: "") }
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    @Test("One copy with its unit has no conflict")
    func single() throws {
        let machine = try Machine("usr")
        defer { machine.remove() }
        #expect(machine.conflicts(running: "usr").isEmpty)
    }

    @Test("A copy that a shell finds first hides the other, and systemd starts it for both")
    func hidden() throws {
        let machine = try Machine("local", "usr")
        defer { machine.remove() }
        let hides = "/local/bin/capture-copy hides /usr/bin/capture-copy"
        #expect(machine.conflicts(running: "local") == [hides])
        #expect(machine.conflicts(running: "usr") == [hides, "copy.service starts /local/bin/capture-copy"])
    }

    @Test("A unit of a copy that is gone is a conflict")
    func unit() throws {
        let machine = try Machine("local", "usr")
        defer { machine.remove() }
        try FileManager.default.removeItem(at: machine.folder.appendingPathComponent("local/bin"))
        #expect(machine.conflicts(running: "usr") == ["copy.service starts /local/bin/capture-copy"])
    }

    @Test("Two names of one file are one copy")
    func link() throws {
        let machine = try Machine("usr")
        defer { machine.remove() }
        try FileManager.default.createSymbolicLink(
            at: machine.folder.appendingPathComponent("local"),
            withDestinationURL: machine.folder.appendingPathComponent("usr"))
        #expect(machine.conflicts(running: "usr").isEmpty)
    }

    @Test("A copy in a checkout has no conflict with those that are installed")
    func checkout() throws {
        let machine = try Machine("local", "usr", "checkout")
        defer { machine.remove() }
        #expect(machine.conflicts(running: "checkout").isEmpty)
    }
}
