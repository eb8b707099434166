// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import CaptureKit

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

    @Test func `of killed processes are cleared away, those of living ones are not`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in [".gst-capture-999999999-1.tmp", ".gst-capture-1-1.tmp", ".gst-capture-x-1.tmp", "a.tmp"] {
            _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil)
        }
        StillFolder.removeLeftovers(in: folder)
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(rest == [".gst-capture-1-1.tmp", ".gst-capture-x-1.tmp", "a.tmp"])
    }
}
