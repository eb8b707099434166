// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import StillKit

@Suite struct `Durable files` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

    @Test func `are whole, leave nothing beside them, and are never replaced unasked`() throws {
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

    @Test func `take the folders along that they leave empty, and no other`() throws {
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

    @Test func `that no process has locked are removed, and those of live writers stay`() throws {
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
    func `are made by hidden names where the file system has no unnamed files`(isTaken: Bool) throws {
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

    @Test func `are durable in a folder that may be written and not read`() async {
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
}
