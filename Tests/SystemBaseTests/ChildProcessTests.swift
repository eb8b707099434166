// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import SystemBase
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A child process` {
    @Test func `Each file of a child process is at its place, even if that is the descriptor of another file`() throws {
        let (first, second) = (Pipe(), Pipe())
        let (one, two) = (first.fileHandleForReading.fileDescriptor, second.fileHandleForReading.fileDescriptor)
        // The two descriptors change places.
        var streams = Array(repeating: ChildProcess.Stream.null, count: Int(max(one, two)) + 1)
        streams[Int(one)] = .descriptor(two)
        streams[Int(two)] = .descriptor(one)
        let check = #"test "$(readlink /proc/$$/fd/$1)" = "$3" && test "$(readlink /proc/$$/fd/$2)" = "$4""#
        let process = try ChildProcess(
            "/bin/sh", arguments: ["sh", "-c", check, "sh", "\(one)", "\(two)", name(of: two), name(of: one)],
            environment: ["PATH=/usr/bin:/bin"], streams: streams)
        #expect(process.reap() == .exited(0))
        withExtendedLifetime((first, second)) {}
    }

    @Test func `A child reads from its end of a pair until this process closes the other`() throws {
        let pair = try SocketPair()
        let process = try ChildProcess(
            "/bin/sh", arguments: ["sh", "-c", #"test "$(cat)" = word"#], environment: ["PATH=/usr/bin:/bin"],
            streams: [.descriptor(pair.theirs), .null, .null])
        let ours = FileHandle(fileDescriptor: pair.keepOurs(), closeOnDealloc: true)
        try ours.write(contentsOf: Data("word".utf8))
        try ours.close()
        #expect(process.reap() == .exited(0))
    }

    /// The kernel's name of an open file, such as `pipe:[4711]`.
    private func name(of descriptor: Int32) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
}
