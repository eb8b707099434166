// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// A running process at the other end of a socket. It ends with the last reference.
final class RasterChild: Sendable {
    /// How a process ended.
    enum Ending: Sendable {
        /// It exited with a status.
        case exited(Int32)
        /// A signal ended it.
        case killed(Int32)
        /// Someone else waited for it.
        case unknown
    }

    /// The process. Its number stays its own until ``end()``.
    let identifier: pid_t
    /// The connection to it.
    let channel: RasterChannel

    private let socket: Int32
    private let ending = Mutex<Ending?>(nil)

    /// Starts an executable with the socket as its standard input, and nothing else of ours.
    init(_ executable: String) throws(OverlayError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .notStarted(executable, errno) }
        defer { close(ends[1]) }
        do throws(OverlayError) {
            identifier = try RasterChild.spawn(executable, input: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
        channel = RasterChannel(socket: socket)
    }

    deinit {
        _ = end()
        close(socket)
    }

    /// Ends the process, whatever it does, and waits until it is gone: about a millisecond. Again, it says the same.
    func end() -> Ending {
        ending.withLock { ending in
            if let ending { return ending }
            kill(identifier, SIGKILL)
            let how = Self.wait(for: identifier)
            ending = how
            return how
        }
    }

    private static func wait(for identifier: pid_t) -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) != identifier {
            if errno != EINTR { return .unknown }
        }
        // As WIFSIGNALED, WTERMSIG and WEXITSTATUS have it.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    }
}

extension RasterChild {
    /// A process in a group of its own, that our terminal's Ctrl-C does not reach, without our signals' settings, files
    /// and secrets (`posix_spawn`).
    private static func spawn(_ executable: String, input: Int32) throws(OverlayError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setUp(&attributes)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // What libraries grumble about a damaged drawing is no line of ours.
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

        let arguments = CStrings([executable])
        let environment = CStrings(Self.environment)
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, &attributes, arguments.pointers, environment.pointers)
        guard code == 0 else { throw .notStarted(executable, code) }
        return identifier
    }

    private static func setUp(_ attributes: inout posix_spawnattr_t) {
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    /// What finds fonts and chooses letters; the rest of our environment is none of a drawing's business.
    private static var environment: [String] {
        let names = [
            "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
            "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
        ]
        return names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }
}

/// An array of C strings that ends with a null pointer.
private struct CStrings: ~Copyable {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}

extension OverlayError {
    fileprivate static func notStarted(_ executable: String, _ code: Int32) -> OverlayError {
        OverlayError(
            .rasteriser, "cannot be started: \(String(cString: strerror(code)))", subject: executable,
            advice: "install gst-capture anew, or name the executable in GST_CAPTURE_RASTER")
    }
}
