// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Testing

@testable import OverlayCompositor

@Suite struct `The file of a layer` {
    private func read(_ path: String, before: LayerFile? = nil) throws(OverlayError) -> LayerFile {
        try LayerFile(path, before: before)
    }

    @Test func `The file of a layer is read again after it was rewritten`() throws {
        let file = try ScratchFile(".svg", "one")
        let first = try read(file.path)
        #expect(first.bytes == Array("one".utf8))
        try file.rewrite("another")
        #expect(try read(file.path, before: first).bytes == Array("another".utf8))
    }

    @Test func `A path that leads to no regular file is refused without waiting`() throws {
        let fifo = "/tmp/gst-capture-test-fifo-\(UInt64.random(in: 0 ... .max))"
        try #require(mkfifo(fifo, 0o600) == 0)
        defer { unlink(fifo) }
        for path in ["/nowhere", "/tmp", "/dev/zero", fifo, "/etc/passwd/x", ""] {
            #expect(throws: OverlayError.self) { try read(path) }
        }
    }

    @Test func `A huge file of a layer is refused`() throws {
        let file = try ScratchFile(".png", "")
        try #require(truncate(file.path, 1 << 40) == 0)
        #expect(throws: OverlayError(.tooMuch, "is longer than 64 MiB", subject: file.path)) { try read(file.path) }
    }
}
