// Part of gst-capture. Apache License 2.0, see LICENSE.

import CConfinement
import Foundation
import Testing

@testable import OverlayCompositor

@Suite struct `Files for the drawing process` {
    private let files: (ours: Int32, theirs: Int32)
    private let home: URL

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        files = (ends[0], ends[1])
        home = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID())")
    }

    /// The errno of the server's answer to each request.
    private func answers(_ messages: [(kind: UInt8, path: String)]) throws -> [Int32] {
        try FileManager.default.createDirectory(
            at: home.appending(path: "fonts"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        try Data("font".utf8).write(to: home.appending(path: "fonts/a.ttf"))
        try Data("key".utf8).write(to: home.appending(path: "key"))
        try FileManager.default.createSymbolicLink(
            at: home.appending(path: "fonts/link.ttf"), withDestinationURL: home.appending(path: "key"))
        #expect(mkfifo(home.appending(path: "fonts/fifo").path, 0o600) == 0)
        for (kind, path) in messages { #expect(cconf_send(files.theirs, kind, path) == 0) }
        shutdown(files.theirs, Int32(SHUT_WR))
        var server = RasterFiles(socket: files.ours, home: home.path)
        server.serve()
        var (answers, error) = ([Int32](), Int32(0))
        while recv(files.theirs, &error, 4, 0) == 4 { answers.append(error) }
        close(files.theirs)
        return answers
    }

    @Test func `Only files below roots that were sent before the list was sealed are opened`() throws {
        let (open, folder) = (CCONF_OPEN, CCONF_OPEN_FOLDER)
        let path = home.path
        let answers = try answers([
            (open, path + "/fonts/a.ttf"),
            (CCONF_ROOT, path + "/fonts"), (open, path + "/fonts/a.ttf"), (folder, path + "/fonts"),
            (open, path + "/key"), (open, path + "/fonts/../key"), (open, path + "/fonts/link.ttf"),
            (open, path + "/fonts/fifo"), (folder, path + "/fonts/a.ttf"), (open, path + "/fonts/none"),
            (open, "fonts/a.ttf"), (open, ""), (open, "/usr/share"), (open, "/etc/passwd"),
            (CCONF_SEAL, ""), (CCONF_ROOT, path + "/key"), (open, path + "/key"),
        ])
        #expect(
            answers == [
                EACCES, 0, 0, EACCES, EACCES, EACCES, EACCES, ENOTDIR, ENOENT, ENOENT, ENOENT, 0, EACCES, EACCES,
            ])
    }

    @Test func `A request for no file, of an unknown kind, or too long to be a path opens nothing`() throws {
        let long = String(repeating: "a", count: Int(CCONF_MESSAGE_BYTES) - 1)
        let path = home.path + "/key"
        let answers = try answers([(0, path), (5, path), (255, path), (CCONF_OPEN, ""), (CCONF_OPEN, long)])
        #expect(answers == [ENOENT, ENAMETOOLONG])
        #expect(cconf_send(-1, CCONF_OPEN, long + "a") == ENAMETOOLONG)
        #expect(cconf_send(-1, CCONF_OPEN, path) == EBADF)
    }

    @Test(arguments: ["", "/", "/.."])
    func `The home folder, the folder above it and the root folder cannot become roots`(suffix: String) throws {
        let root = suffix.isEmpty ? home.path : suffix == "/" ? "/" : home.path + suffix
        let answers = try answers([(CCONF_ROOT, root), (CCONF_OPEN, home.path + "/key")])
        #expect(answers == [EACCES])
    }
}
