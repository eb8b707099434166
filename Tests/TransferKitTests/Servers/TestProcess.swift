// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CLinux
import Foundation
import Synchronization
import Testing

/// A program that a test starts, in its own process group. The group is killed when the last reference is released.
final class TestProcess: Sendable {
    private let identifier: pid_t
    private let name: String
    /// The lines that the program prints.
    private let lines: AsyncStream<String>

    init(_ program: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        // Apache opens /dev/stderr, which must not be a socket.
        try #require(pipe(&ends) == 0)
        identifier = try Self.spawn(program, arguments, output: ends[1])
        close(ends[1])
        name = program
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        Thread.detachNewThread {
            var rest = ""
            while case let data = reader.availableData, !data.isEmpty {
                rest += String(decoding: data, as: UTF8.self)
                // sshd ends its lines with CR and LF, which are one Character.
                let complete = rest.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                for line in complete.dropLast() { continuation.yield(String(line)) }
                rest = String(complete.last ?? "")
            }
            continuation.finish()
        }
    }

    deinit {
        kill(-identifier, SIGKILL)
        while waitpid(identifier, nil, 0) != identifier, errno == EINTR {}
    }

    /// Starts a program without the signal mask of this thread, in which Dispatch blocks signals.
    private static func spawn(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for stream in [STDOUT_FILENO, STDERR_FILENO] { posix_spawn_file_actions_adddup2(&actions, output, stream) }
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let texts = ([program] + arguments).map { strdup($0) }
        defer { for text in texts { free(text) } }
        var identifier: pid_t = 0
        try #require(posix_spawn(&identifier, program, &actions, &attributes, texts + [nil], environ) == 0)
        return identifier
    }

    /// Waits for a line that contains a text.
    func wait(for text: String) async throws {
        var seen: [String] = []
        for await line in lines {
            if line.contains(text) { return }
            seen.append(line)
        }
        Issue.record("\(name): ended without \(text): \(seen.suffix(5))")
        throw CancellationError()
    }

    /// Runs a program to its end, and returns what it prints.
    static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let process = try TestProcess(program, arguments)
        var text: [String] = []
        for await line in process.lines { text.append(line) }
        return text.joined(separator: "\n")
    }

    /// Returns the path of a program, or skips the test if it is not installed.
    static func path(_ name: String, advice: String) throws -> String {
        let paths = ["/usr/sbin/", "/usr/bin/", "/usr/lib/apache2/modules/"].map { $0 + name }
        guard let path = paths.first(where: { access($0, R_OK) == 0 }) else {
            try SkippedTest.skip("\(name) is not installed; \(advice)")
        }
        return path
    }

    private static let usedPorts = Mutex<Set<UInt16>>([])

    /// Returns a port that no program listens on, and no other test gets. It is below those of outgoing connections.
    static func freePort() -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        while true {
            let port = UInt16.random(in: 20_000..<32_000)
            guard usedPorts.withLock({ $0.insert(port).inserted }) else { continue }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            let isFree = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return Int(port) }
        }
    }
}
#endif
