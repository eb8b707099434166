// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import Testing

@Suite struct `A regular file` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func error(of path: String) -> CaptureError? {
        do throws(CaptureError) {
            try RegularFile.check(path)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 4, 5, 1_000_000])
    func `A regular file is read up to its end or to a limit`(most: Int) throws {
        let path = try folder.write("file", "bytes")
        #expect(try RegularFile.read(path, most: most) == Array("bytes".utf8.prefix(most)))
    }

    @Test func `A regular file is read past the size that it had when it was opened`() throws {
        // The kernel's files have the size 0.
        #expect(try RegularFile.read("/proc/self/stat", most: 1 << 20).count > 10)
        let long = String(repeating: "long ", count: 10_000)
        let path = try folder.write("long", long)
        #expect(try RegularFile.read(path, most: 1 << 20) == Array(long.utf8))
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
            let bytes = try RegularFile.read(path, most: size)
            let cost = try peakMemory() - start - costOfCopy
            // The copy is still in memory.
            try #require(bytes.count == size && count == size && bytes.last == copy.last)
            try #require(cost < costOfCopy * 3 / 2)
            try folder.remove("large")
        }
    }

    @Test func `A regular file is read in pieces`() throws {
        let file = try RegularFile(folder.write("file", "bytes"))
        var (piece, pieces) = ([UInt8](repeating: 0, count: 2), [[UInt8]]())
        while case let count = try file.read(into: &piece), count > 0 { pieces.append(Array(piece[..<count])) }
        #expect(pieces == [Array("by".utf8), Array("te".utf8), Array("s".utf8)])
        let size = file.status.st_size
        #expect(size == 5)
    }

    @Test func `A regular file is closed when its object is released`() throws {
        let path = try folder.write("file", "bytes")
        for _ in 0..<5000 { try RegularFile.check(path) }
        #expect((0..<5000).allSatisfy { _ in error(of: folder.path) != nil })
        #expect(try RegularFile.read(path, most: 5).count == 5)
    }

    @Test func `Only regular files are opened, and a path of another kind never blocks`() throws {
        let fifo = folder.path + "/fifo"
        try #require(mkfifo(fifo, 0o600) == 0)
        let file = try folder.write("file", "")
        let messages = [
            (folder.path + "/none", "there is no such file"), (file + "/below", "there is no such file"),
            ("", "there is no such file"), (folder.path, "is a folder"), (fifo, "is not a regular file"),
            ("/dev/zero", "is not a regular file"),
        ]
        for (path, message) in messages {
            #expect(error(of: path) == CaptureError(.noInput, message, subject: path))
            #expect(!RegularFile.isRegular(path))
        }
        #expect(RegularFile.isRegular(file))
        #expect(error(of: file + "\0") == CaptureError(.noInput, "contains a NUL", subject: file))
    }

    @Test func `The size of a regular file is read without opening it, with the same errors`() throws {
        let path = try folder.write("file", "bytes")
        try folder.link("link", to: path)
        #expect(try RegularFile.sizeWithoutOpening(path) == 5)
        #expect(try RegularFile.sizeWithoutOpening(folder.path + "/link") == 5)
        for other in [folder.path + "/none", path + "/below", "", folder.path, "/dev/zero", path + "\0"] {
            let error = #expect(throws: CaptureError.self) { try RegularFile.sizeWithoutOpening(other) }
            #expect(error == self.error(of: other))
        }
    }

    @Test func `A regular file is opened through a link`() throws {
        let path = try folder.write("file", "bytes")
        try folder.link("link", to: path)
        #expect(try RegularFile.read(folder.path + "/link", most: 5) == Array("bytes".utf8))
    }
}

/// The most resident memory that this process has had, in KiB (`/proc/self/status`).
private func peakMemory() throws -> Int {
    let status = String(decoding: try RegularFile.read("/proc/self/status", most: 1 << 16), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber)))
}
