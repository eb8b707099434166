// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import Testing

@Suite struct `A file that a user names` {
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
    func `A named file is read up to its end or to a limit`(most: Int) throws {
        let path = try folder.write("file", "bytes")
        #expect(try RegularFile.read(path, most: most) == Array("bytes".utf8.prefix(most)))
    }

    @Test func `The error of a named file says why it cannot be read`() throws {
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
            #expect(throws: CaptureError(.noInput, message, subject: path)) { try RegularFile.read(path, most: 1) }
        }
        #expect(error(of: file) == nil)
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
}
