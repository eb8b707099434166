// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc
import Testing

@testable import CaptureBase

@Suite("A lock on a file")
struct FileLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `true` if this process gets the lock.
    private func isFree() throws -> Bool { try FileLock(folder.path + "/lock") != nil }

    @Test("A lock is held by one owner at a time")
    func held() throws {
        do {
            let lock = try FileLock(waitingFor: folder.path + "/lock")
            #expect(fcntl(lock.descriptor, F_GETFD) == FD_CLOEXEC)
            #expect(try !isFree())
        }
        #expect(try isFree())
    }

    @Test("A child that has the descriptor for a moment does not keep the lock")
    func child() throws {
        var copy: Int32 = -1
        do {
            let lock = try FileLock(waitingFor: folder.path + "/lock")
            copy = dup(lock.descriptor)
        }
        defer { close(copy) }
        #expect(try isFree())
    }

    @Test("A file that cannot be created is an error with its path", arguments: ["/missing/lock", ""])
    func missing(name: String) throws {
        let path = folder.path + name
        let error = #expect(throws: CaptureError.self) { _ = try FileLock(path) }
        #expect(error?.description.contains(path) == true)
    }

    @Test("A link is not followed")
    func link() throws {
        #expect(symlink(folder.path + "/other", folder.path + "/lock") == 0)
        #expect(throws: CaptureError.self) { try isFree() }
    }
}
