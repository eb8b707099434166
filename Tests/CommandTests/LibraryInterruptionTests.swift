// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// Ctrl-C in the middle of a command: the status is 130, one line says so, and nothing is half done.
@Suite("Ctrl-C in the library command", .timeLimit(.minutes(5)))
struct LibraryInterruptionTests {
    private static let count = 60

    /// A folder with pictures of different bytes, ten in a folder.
    private func pictures() async throws -> Command {
        let command = try Command()
        let small = ["--camera", "scene", "--width", "160", "--height", "120", "--settle", "off"]
        let outcome = try await RunningCommand(["snap", "-o", "one.jpg"] + small, in: command.folder).outcome()
        try #require(outcome.status == 0, "\(outcome.error)")
        let bytes = try command.bytes("one.jpg")
        for number in 0..<Self.count {
            let folder = command.folder.appendingPathComponent("pictures/\(number / 10)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try (bytes + Data("\(number)".utf8)).write(to: folder.appendingPathComponent("\(number).jpg"))
        }
        return command
    }

    /// Runs a command that gets SIGINT at call 40 of a function of C, and makes each later call slow.
    private func interrupt(
        _ command: borrowing Command, at function: String, _ arguments: [String]
    ) async throws -> RunningCommand.Outcome {
        let library = try command.library(
            """
            #include <signal.h>
            #include <string.h>
            #include <sys/stat.h>
            static int calls;
            static void interrupt(void) {
                if (++calls == 40) kill(getpid(), SIGINT);
                if (calls >= 40) usleep(10000);
            }
            \(function)
            """)
        return try await RunningCommand(
            ["library"] + arguments + ["--state", "state", "--board", "test"], in: command.folder,
            environment: ["LD_PRELOAD": library]
        ).outcome()
    }

    private static let fsync = """
        int fsync(int file) {
            interrupt();
            return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
        }
        """
    private static let lstat = """
        int lstat(const char *path, struct stat *status) {
            if (strstr(path, "/pictures/")) interrupt();
            return ((int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "lstat"))(path, status);
        }
        """
    private static let pwrite = """
        ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
            interrupt();
            return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(file, bytes, count, place);
        }
        """

    @discardableResult
    private func run(_ command: borrowing Command, _ arguments: String...) async throws -> RunningCommand.Outcome {
        try await run(command, arguments)
    }

    private func run(_ command: borrowing Command, _ arguments: [String]) async throws -> RunningCommand.Outcome {
        let outcome = try await RunningCommand(
            ["library"] + arguments + ["--state", "state", "--board", "test"], in: command.folder
        ).outcome()
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome
    }

    private func found(_ command: borrowing Command) async throws -> [String] {
        try await run(command, "search", "--quiet", "--limit", "0").lines
    }

    /// Returns the number of pictures in a folder, each of which has to be whole.
    private func whole(_ command: borrowing Command, in folder: String) throws -> Int {
        let files = try command.files()
        let copies = files.filter { $0.hasPrefix(folder + "/") && $0.contains(".") }
        let one = try command.bytes("one.jpg")
        for copy in copies {
            let bytes = try command.bytes(copy)
            let number = Int(String(decoding: bytes.dropFirst(one.count), as: UTF8.self))
            #expect(bytes.starts(with: one) && (0..<Self.count).contains(number ?? -1), "\(copy)")
        }
        return copies.count
    }

    @Test("An import has whole copies, and the next one copies the others")
    func imports() async throws {
        let command = try await pictures()
        let outcome = try await interrupt(command, at: Self.fsync, ["import", "pictures", "--to", "imports"])
        #expect(outcome.status == 130 && outcome.errorLines.count == 1, "\(outcome.error)")
        #expect(outcome.error.contains("import it again for the rest"), "\(outcome.error)")
        let copied = try whole(command, in: "imports")
        #expect(copied < Self.count)
        #expect(try await found(command).count == copied)
        let rest = try await run(command, "import", "pictures", "--to", "imports")
        #expect(rest.error.contains("\(Self.count - copied) imported"), "\(rest.error)")
        #expect(rest.error.contains("\(copied) known"), "\(rest.error)")
        #expect(try whole(command, in: "imports") == Self.count)
    }

    @Test("A scan has what it read, and the next one has all")
    func scans() async throws {
        let command = try await pictures()
        let outcome = try await interrupt(command, at: Self.lstat, ["scan", "pictures"])
        #expect(outcome.status == 130 && outcome.errorLines.count == 1, "\(outcome.error)")
        #expect(outcome.error.contains("the scan was canceled"), "\(outcome.error)")
        #expect(try await found(command).count < Self.count)
        try await run(command, "scan")
        #expect(try await found(command).count == Self.count)
    }

    @Test("An export has whole copies, and the next one copies the others")
    func exports() async throws {
        let command = try await pictures()
        try await run(command, "scan", "pictures")
        let outcome = try await interrupt(command, at: Self.fsync, ["export", "copies"])
        #expect(outcome.status == 130 && outcome.errorLines.count == 1, "\(outcome.error)")
        #expect(outcome.error.contains("was canceled"), "\(outcome.error)")
        let copied = try whole(command, in: "copies")
        #expect(copied < Self.count)
        try await run(command, "export", "copies")
        #expect(try whole(command, in: "copies") == Self.count)
    }

    @Test("An export into a ZIP file leaves none")
    func archives() async throws {
        let command = try await pictures()
        try await run(command, "scan", "pictures")
        let outcome = try await interrupt(command, at: Self.pwrite, ["export", "copies.zip"])
        #expect(outcome.status == 130 && outcome.errorLines.count == 1, "\(outcome.error)")
        #expect(outcome.error.contains("was canceled"), "\(outcome.error)")
        #expect(try command.files().filter { $0.contains("zip") }.isEmpty)
    }

    @Test("A deletion has whole pictures in the trash, which return")
    func deletes() async throws {
        let command = try await pictures()
        try await run(command, "scan", "pictures")
        let ids = try await found(command)
        let outcome = try await interrupt(command, at: Self.fsync, ["delete"] + ids)
        #expect(outcome.status == 130 && outcome.errorLines.count == 1, "\(outcome.error)")
        #expect(outcome.error.contains("was canceled after 20 of 60 pictures"), "\(outcome.error)")
        let left = try await found(command)
        let trash = try await run(command, "trash", "--quiet").lines
        #expect(left.count == 40 && Set(left + trash) == Set(ids))
        #expect(try whole(command, in: "pictures") == 40)
        _ = try await run(command, ["restore"] + trash)
        #expect(try await Set(found(command)) == Set(ids))
        #expect(try whole(command, in: "pictures") == Self.count)
    }
}
