// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

@testable import StillKit

@Suite struct `Durable files` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

    @Test func `Stored files are complete, leave no other files, and are replaced only with overwrite`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/deep/er/a.jpg"
        let store = StillStore(overwrites: false, latest: "\(folder)/latest.jpg")
        try store.write([1, 2, 3], to: path)
        try store.pointLatest(at: path)
        #expect(throws: CaptureError.self) { try store.write([4], to: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/deep/er") == ["a.jpg"])
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/latest.jpg")) == Data([1, 2, 3]))
        try StillStore(overwrites: true, latest: nil).write([4], to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([4]))
    }

    @Test func `The empty folders of a series are removed, and all other folders stay`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["series/day/hour", "series/other"] { try StillFolder.make("\(folder)/\(name)") }
        try StillStore(overwrites: false, latest: nil).write([1], to: "\(folder)/series/other/a.jpg")
        StillFolder.removeEmpty("\(folder)/series/other", within: "\(folder)/series")
        StillFolder.removeEmpty("\(folder)/series/day/hour", within: "\(folder)/series")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/series") == ["other"])
        try FileManager.default.removeItem(atPath: "\(folder)/series/other")
        StillFolder.removeEmpty("\(folder)/series", within: "\(folder)/series")
        StillFolder.removeEmpty(folder, within: "\(folder)/series")
        #expect(FileManager.default.fileExists(atPath: "\(folder)/series"))
    }

    @Test func `Temporary files of killed writers are removed, and those of live writers stay`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let live = ".gst-capture-0000000000000002.tmp"
        for name in [".gst-capture-0000000000000001.tmp", live, ".gst-capture-x.tmp", "a.tmp"] {
            _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil)
        }
        let writer = open("\(folder)/\(live)", O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        try #require(flock(writer, LOCK_EX) == 0)
        TemporaryFile.removeLeftovers(in: folder)
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(rest == [live, ".gst-capture-x.tmp", "a.tmp"])
    }

    @Test(arguments: [false, true])
    func `A temporary file is moved to its path, whether it was hidden or unnamed`(isTaken: Bool) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (hidden, path) = ("\(folder)/hidden", "\(folder)/a.jpg")
        for name in [hidden, folder] { try StillFolder.make(name) }
        if isTaken { try Data([9]).write(to: URL(filePath: path)) }
        for kind in [TemporaryFile.Kind.hidden(folder: hidden), .unnamed(folder: folder)] {
            var file = try TemporaryFile.make(kind, for: path)
            try file.write([1], for: path)
            if isTaken { #expect(throws: CaptureError.self) { try file.move(to: path, replacing: false) } }
            try file.move(to: path, replacing: isTaken)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
            if !isTaken { try FileManager.default.removeItem(atPath: path) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: hidden) == [])
    }

    @Test func `Files that are renamed to the same name do not replace each other`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try StillFolder.make(folder)
        for round in 0..<100 {
            let path = "\(folder)/\(round).jpg"
            let failures = Mutex([Int32]())
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                let own = "\(path)-\(index)"
                _ = FileManager.default.createFile(atPath: own, contents: nil)
                let failure = TemporaryFile.renameToFreeName(own, path)
                failures.withLock { $0.append(failure) }
            }
            #expect(failures.withLock { $0.sorted() } == [0, EEXIST, EEXIST, EEXIST])
        }
    }

    @Test func `A file is stored in a folder that can be written but not read`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try #require(chmod(folder.path, 0o777) == 0 && mkdir(folder.path + "/drop", 0o777) == 0)
            try #require(chmod(folder.path + "/drop", 0o333) == 0)
            // Root may read any folder.
            if geteuid() == 0 { try #require(seteuid(65534) == 0) }
            let store = StillStore(overwrites: false, latest: nil)
            try store.write([1], to: folder.path + "/drop/a.jpg")
            let isThere = try store.holds([1], at: folder.path + "/drop/a.jpg")
            try #require(isThere)
            if geteuid() != getuid() { try #require(seteuid(getuid()) == 0) }
        }
    }

    @Test func `A file that cannot be read is reported with the system's error`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = try folder.write("a.jpg", "1")
            try #require(chmod(folder.path, 0o777) == 0 && chmod(path, 0) == 0)
            // Root may read any file.
            if geteuid() == 0 { try #require(seteuid(65534) == 0) }
            let error = #expect(throws: CaptureError.self) {
                try StillStore(overwrites: false, latest: nil).holds([1], at: path)
            }
            try #require(error?.systemError == EACCES && error?.code == .permission && error?.subject == path)
            if geteuid() != getuid() { try #require(seteuid(getuid()) == 0) }
        }
    }

    @Test func `A folder, a broken link and an impossible name hold no picture`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.jpg", "1")
        try folder.link("dangling", to: "nowhere")
        let store = StillStore(overwrites: false, latest: nil)
        #expect(try store.holds(Array("1".utf8), at: path))
        for other in [folder.path, folder.path + "/dangling", folder.path + "/b.jpg", path + "/c.jpg", path + "\0d"] {
            #expect(try !store.holds(Array("1".utf8), at: other))
        }
    }
}

@Suite("Pictures on standard output", .timeLimit(.minutes(5)))
struct StandardOutputTests {
    @Test("A picture is written completely to a non-blocking pipe with any reader")
    func nonBlocking() throws {
        var ends: [Int32] = [-1, -1]
        let isMade = pipe(&ends) == 0
        try #require(isMade)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        _ = fcntl(writer, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        // Many times the capacity of a pipe.
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 100) }
        Thread.detachNewThread {
            try? StillStore.write(bytes, to: writer, name: "pipe")
            close(writer)
        }
        let received = FileHandle(fileDescriptor: reader).readDataToEndOfFile()
        #expect(received == Data(bytes))
    }
}
