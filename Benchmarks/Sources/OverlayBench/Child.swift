// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Another program that runs to its end.
struct Child {
    /// The bytes on standard output.
    let output: String
    /// The processor time, in nanoseconds.
    let cpuTime: Double

    /// Runs a program from the path, without standard input and standard error.
    ///
    /// - Throws: if the program cannot be started, or does not succeed.
    init(_ arguments: [String], environment: [String] = []) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchError("no pipe") }
        defer { close(ends[0]) }
        let started = Self.start(arguments, environment, output: ends[1])
        close(ends[1])
        guard let process = started else { throw BenchError("\(arguments[0]) does not start") }
        output = Self.readAll(ends[0])
        var (status, usage) = (Int32(0), rusage())
        wait4(process, &status, 0, &usage)
        guard status == 0 else { throw BenchError("\(arguments.joined(separator: " ")) fails") }
        cpuTime = usage.ru_utime.nanoseconds + usage.ru_stime.nanoseconds
    }

    private static func start(_ arguments: [String], _ environment: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addclose(&actions, output)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var process = pid_t()
        let status = withStrings(arguments) { words in
            withStrings(environment + inherited) { variables in
                posix_spawnp(&process, arguments[0], &actions, nil, words, variables)
            }
        }
        return status == 0 ? process : nil
    }

    private static var inherited: [String] {
        ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"].compactMap { (name: String) in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }

    private static func readAll(_ end: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = read(end, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension timeval {
    fileprivate var nanoseconds: Double { Double(tv_sec) * 1e9 + Double(tv_usec) * 1e3 }
}
