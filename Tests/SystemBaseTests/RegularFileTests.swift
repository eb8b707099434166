// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc
import SystemBase
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A regular file` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(of path: String) -> RegularFile.Failure? {
        do throws(RegularFile.Failure) {
            _ = try RegularFile(path)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 4, 5, 1_000_000])
    func `A regular file is read up to its end or to a limit`(most: Int) throws {
        let path = try folder.write("file", "bytes")
        #expect(try RegularFile(path).bytes(most: most) == Array("bytes".utf8.prefix(most)))
    }

    @Test func `A regular file is read past the size that it had when it was opened`() throws {
        // The kernel's files have the size 0.
        #expect(try RegularFile("/proc/self/stat").bytes(most: 1 << 20).count > 10)
        let long = String(repeating: "long ", count: 10_000)
        let path = try folder.write("long", long)
        #expect(try RegularFile(path).bytes(most: 1 << 20) == Array(long.utf8))
    }

    @Test func `A regular file is in memory once while it is read`() async {
        // A separate process has its memory to itself.
        await #expect(processExitsWith: .success) {
            let (folder, size) = (try TemporaryFolder(), 32 << 20)
            let path = try folder.write("large", "")
            try #require(truncate(path, size) == 0)
            let start = try peakMemory()
            var copy = [UInt8](repeating: 1, count: size)
            let count = try RegularFile(path).read(into: &copy)
            let costOfCopy = try peakMemory() - start
            let bytes = try RegularFile(path).bytes(most: size)
            let cost = try peakMemory() - start - costOfCopy
            // The copy is still in memory.
            try #require(bytes.count == size && count == size && bytes.last == copy.last)
            try #require(cost < costOfCopy * 3 / 2)
            try folder.remove("large")
        }
    }

    @Test func `A regular file has changed if its size or the time of its last change is another one`() throws {
        let path = try folder.write("file", "bytes")
        let file = try RegularFile(path)
        // The macro copies its operands.
        let isUnchangedAtFirst = file.isUnchanged
        try #require(truncate(path, 4) == 0)
        let isUnchangedWithOtherSize = file.isUnchanged
        #expect(isUnchangedAtFirst && !isUnchangedWithOtherSize)
        let other = try RegularFile(path)
        let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
        let isUnchangedWithOtherTime = other.isUnchanged
        #expect(!isUnchangedWithOtherTime)
    }

    @Test func `A regular file is read in pieces`() throws {
        let file = try RegularFile(folder.write("file", "bytes"))
        var (piece, pieces) = ([UInt8](repeating: 0, count: 2), [[UInt8]]())
        while case let count = try file.read(into: &piece), count > 0 { pieces.append(Array(piece[..<count])) }
        #expect(pieces == [Array("by".utf8), Array("te".utf8), Array("s".utf8)])
        let size = file.status.st_size
        #expect(size == 5)
    }

    @Test func `A regular file is closed at the end of its lifetime, and a refused file at once`() throws {
        let path = try folder.write("file", "bytes")
        for _ in 0..<5000 { _ = try RegularFile(path) }
        #expect((0..<5000).allSatisfy { _ in failure(of: folder.path) != nil })
        #expect(try RegularFile(path).bytes(most: 5).count == 5)
    }

    @Test func `Only regular files are opened, and a path of another kind never blocks`() throws {
        let fifo = folder.path + "/fifo"
        try #require(mkfifo(fifo, 0o600) == 0)
        let socket = folder.path + "/socket"
        try #require(mknod(socket, S_IFSOCK | 0o600, 0) == 0)
        let file = try folder.write("file", "")
        let failures: [(String, RegularFile.Failure)] = [
            (folder.path + "/none", .notOpened(ENOENT)), (file + "/below", .notOpened(ENOTDIR)),
            ("", .notOpened(ENOENT)), (folder.path, .isFolder), (fifo, .isNotRegular), (socket, .isNotRegular),
            ("/dev/zero", .isNotRegular), (file + "\0", .containsNUL), (file + "\0.jpg", .containsNUL),
        ]
        for (path, failure) in failures { #expect(self.failure(of: path) == failure) }
        for (path, _) in failures.dropLast(2) { #expect(!RegularFile.isRegular(path)) }
        #expect(RegularFile.isRegular(file))
        #expect(failure(of: file) == nil)
    }

    @Test func `Links in a circle and names that are too long are refused`() throws {
        try folder.link("one", to: folder.path + "/two")
        try folder.link("two", to: folder.path + "/one")
        let long = folder.path + "/" + String(repeating: "a", count: 256)
        #expect(failure(of: folder.path + "/one") == .notOpened(ELOOP))
        #expect(failure(of: long) == .notOpened(ENAMETOOLONG))
        #expect(!RegularFile.isRegular(folder.path + "/one") && !RegularFile.isRegular(long))
    }

    @Test func `A file that cannot be read throws the error of the system`() throws {
        // The kernel calls it a regular file, but its first page is never mapped.
        let memory = try RegularFile("/proc/self/mem")
        #expect(throws: RegularFile.Failure.notRead(EIO)) { try memory.bytes(most: 10) }
        var piece = [UInt8](repeating: 7, count: 4)
        #expect(throws: RegularFile.Failure.notRead(EIO)) { try memory.read(into: &piece) }
        #expect(piece == [7, 7, 7, 7])
    }

    @Test func `A file that shrinks or grows after it was opened is read up to its new end`() throws {
        let path = try folder.write("file", "bytes")
        let shrunk = try RegularFile(path)
        try #require(truncate(path, 2) == 0)
        #expect(try shrunk.bytes(most: 100) == Array("by".utf8))
        let grown = try RegularFile(path)
        try #require(truncate(path, 10_000) == 0)
        #expect(try grown.bytes(most: 1 << 20) == Array("by".utf8) + [UInt8](repeating: 0, count: 9998))
    }

    @Test func `Each read continues after the previous one, and an empty piece reads nothing`() throws {
        let file = try RegularFile(folder.write("file", "bytes"))
        var (empty, piece) = ([UInt8](), [UInt8](repeating: 0, count: 2))
        #expect(try file.read(into: &empty) == 0)
        #expect(try file.bytes(most: 2) == Array("by".utf8))
        #expect(try file.read(into: &piece) == 2)
        #expect(piece == Array("te".utf8))
        #expect(try file.bytes(most: -1).isEmpty)
        #expect(try file.bytes(most: .max) == Array("s".utf8))
        #expect(try file.bytes(most: .max).isEmpty)
    }

    @Test func `A regular file is opened through a link`() throws {
        let path = try folder.write("file", "bytes")
        try folder.link("link", to: path)
        #expect(try RegularFile(folder.path + "/link").bytes(most: 5) == Array("bytes".utf8))
    }
}

/// The most resident memory that this process has had, in KiB (`/proc/self/status`).
private func peakMemory() throws -> Int {
    let status = String(decoding: try RegularFile("/proc/self/status").bytes(most: 1 << 16), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber)))
}
