// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import Glibc
import Synchronization

/// A child process in its own process group, so that Ctrl-C in the parent's terminal does not reach it. It inherits
/// none of the parent's signal settings, and no files but its streams.
///
/// Its process number stays reserved until ``reap()``, so that no signal reaches another process; this requires that
/// the parent does not ignore SIGCHLD. The owner must call ``reap()``: releasing this object neither ends nor reaps the
/// process.
package final class ChildProcess: Sendable {
    /// The file that the program gets at one of its descriptors.
    package enum Stream: Sendable {
        /// `/dev/null`.
        case null
        /// The file of a descriptor of the parent, which keeps its descriptor.
        case descriptor(Int32)

        /// The descriptor of the parent; `nil` if there is none.
        fileprivate var source: Int32? { if case .descriptor(let ours) = self { ours } else { nil } }
    }

    /// The way in which a program ended.
    package enum Ending: Sendable, Hashable {
        /// The program exited with a status.
        case exited(Int32)
        /// A signal ended the program.
        case killed(Int32)
        /// Other code waited for the program, or the parent ignores SIGCHLD: the ending is not known.
        case unknown
    }

    /// A program could not be started, with the reason (`errno`).
    package struct NotStarted: Error {
        /// The `errno`.
        package let code: Int32
    }

    /// The number of the process, and of its process group.
    package let identifier: pid_t

    private let ending = Mutex<Ending?>(nil)

    /// Starts a program (`posix_spawn`).
    ///
    /// - Parameters:
    ///   - executable: The program's file.
    ///   - arguments: The arguments, beginning with the program's name.
    ///   - environment: All environment variables, as `NAME=value`.
    ///   - streams: The standard input, output and error, and then the descriptors from 3 on: at least three, because
    ///     the program inherits a missing standard stream. It has no other files.
    package init(
        _ executable: String, arguments: [String], environment: [String], streams: [Stream]
    ) throws(NotStarted) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.setUp(&attributes)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.open(streams, &actions)

        let arguments = CStrings(arguments)
        let environment = CStrings(environment)
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, &attributes, arguments.pointers, environment.pointers)
        guard code == 0 else { throw NotStarted(code: code) }
        self.identifier = identifier
    }

    /// Sends a signal to the program and to its children in the same process group. Has no effect after ``reap()``.
    package func signal(_ number: Int32) {
        ending.withLock { ending in
            if ending == nil { kill(-identifier, number) }
        }
    }

    /// Waits until the program ends, without reaping it (`waitid`). This blocks: do not call it on Swift's cooperative
    /// pool.
    package func waitForEnd() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Waits until the program ends, reaps it, and returns its ending; later calls return the same. This blocks as
    /// ``waitForEnd()`` does.
    @discardableResult
    package func reap() -> Ending {
        if let ending = ending.withLock({ $0 }) { return ending }
        waitForEnd()
        return ending.withLock { ending in
            let how = ending ?? Self.status(of: identifier)
            ending = how
            return how
        }
    }

    private static func status(of identifier: pid_t) -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) != identifier {
            if errno != EINTR { return .unknown }
        }
        // The same decoding as WIFSIGNALED, WTERMSIG and WEXITSTATUS.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    }
}

extension ChildProcess {
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

    private static func open(_ streams: [Stream], _ actions: inout posix_spawn_file_actions_t) {
        let end = Int32(max(streams.count, Int(STDERR_FILENO) + 1))
        let copies = copies(of: streams, from: end)
        for (source, copy) in copies { posix_spawn_file_actions_adddup2(&actions, source, copy) }
        for (place, stream) in zip(STDIN_FILENO..., streams) {
            if let copy = stream.source.flatMap({ copies[$0] }) {
                posix_spawn_file_actions_adddup2(&actions, copy, place)
            } else {
                posix_spawn_file_actions_addopen(&actions, place, "/dev/null", O_RDWR, 0)
            }
        }
        // Driver libraries open files that a child would inherit: a camera would stay busy until the child ends.
        posix_spawn_file_actions_addclosefrom_np(&actions, end)
    }

    /// Returns a free descriptor from `end` on for each descriptor of the parent. The child copies the parent's
    /// descriptors there before it sets up its streams, because a stream can overwrite one of them.
    private static func copies(of streams: [Stream], from end: Int32) -> [Int32: Int32] {
        let sources = Set(streams.compactMap(\.source))
        let free = (end...).lazy.filter { !sources.contains($0) }
        return Dictionary(uniqueKeysWithValues: zip(sources, free))
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
