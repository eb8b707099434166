// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import SystemBase
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A ZIP archive` {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/archive.zip" }

    init() throws { folder = try TemporaryFolder() }

    /// Writes an archive of files with these names and contents.
    private func write(_ files: [(name: String, content: String)], modified: Int? = nil) throws {
        var (archive, bytes) = (ZIPArchive(), [UInt8]())
        for (name, content) in files {
            let content = Array(content.utf8)
            let entry = ZIPArchive.Entry(
                name, byteCount: content.count, checksum: CRC32.checksum(content), modified: modified)
            let head = archive.add(entry)
            bytes += try #require(head) + content
        }
        #expect(archive.byteCount == bytes.count && archive.count == files.count)
        try Data(bytes + archive.end).write(to: URL(filePath: path))
    }

    /// Runs Python's reader of ZIP files, which also compares the checksums. Returns the lines that `script` prints about
    /// `archive`.
    private func read(_ script: String) async throws -> [String] {
        let start =
            "import os, sys, zipfile\narchive = zipfile.ZipFile(sys.argv[1])\nassert archive.testzip() is None\n"
        let outcome = try await StillTool.run("python3", ["-c", start + script, path])
        #expect(outcome.status == 0, "\(outcome.text)")
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: StillTool.has("python3"), StillTool.advice))
    func `An archive has its files with their names and contents`() async throws {
        try write([("1.jpg", "one"), ("Schnee ❄.jpg", "two"), ("empty", "")])
        let lines = try await read("for name in archive.namelist(): print(name, archive.read(name).decode())")
        #expect(lines == ["1.jpg one", "Schnee ❄.jpg two", "empty "])
    }

    @Test(.enabled(if: StillTool.has("python3"), StillTool.advice))
    func `An archive without files can be read`() async throws {
        try write([])
        #expect(try await read("print(len(archive.namelist()))") == ["0"])
    }

    @Test(.enabled(if: StillTool.has("python3"), StillTool.advice))
    func `More than 65,535 files have the directory of ZIP64`() async throws {
        try write((1...70_000).map { ("\($0)", "") })
        #expect(try await read("print(len(archive.namelist()), archive.namelist()[-1])") == ["70000 70000"])
    }

    @Test(.enabled(if: StillTool.has("python3"), StillTool.advice))
    func `A file above 4 GiB and the file after it have the fields of ZIP64`() async throws {
        // The contents are holes of the file. The checksum of the large one is wrong, and not compared.
        let (size, file) = (5 << 30, try FileHandle.creating(path))
        var archive = ZIPArchive()
        for name in ["large", "next"] {
            let entry = ZIPArchive.Entry(
                name, byteCount: name == "large" ? size : 3, checksum: CRC32.checksum([0, 0, 0]))
            try file.seek(toOffset: UInt64(archive.byteCount))
            let head = archive.add(entry)
            try file.write(contentsOf: #require(head))
        }
        try file.seek(toOffset: UInt64(archive.byteCount))
        try file.write(contentsOf: archive.end)
        let script = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            for item in archive.infolist():
                print(item.filename, item.file_size, item.compress_size, len(archive.open(item).read(2)))
            """
        let outcome = try await StillTool.run("python3", ["-c", script, path])
        #expect(outcome.text == "large \(size) \(size) 2\nnext 3 3 2\n")
    }

    @Test(.enabled(if: StillTool.has("unzip"), StillTool.advice))
    func `unzip gives files the times that they had`() async throws {
        // An odd second: the format alone has every second one.
        try write([("1.jpg", "one")], modified: 1_000_000_001)
        let outcome = try await StillTool.run("unzip", ["-q", "-d", folder.path, path])
        #expect(outcome.status == 0, "\(outcome.text)")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/1.jpg")
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_000_000_001))
    }

    @Test(
        "A time that the format lacks is the nearest one", .enabled(if: StillTool.has("python3"), StillTool.advice),
        arguments: [
            (nil, "(1980, 1, 1, 0, 0, 0)"), (-1, "(1980, 1, 1, 0, 0, 0)"),
            (1 << 40, "(2107, 12, 31, 23, 59, 58)"), (.max, "(1980, 1, 1, 0, 0, 0)"),
        ] as [(Int?, String)])
    func times(_ modified: Int?, _ fields: String) async throws {
        try write([("1.jpg", "one")], modified: modified)
        #expect(try await read("print(archive.infolist()[0].date_time)") == [fields])
    }

    @Test func `A name that is too long is refused, and the archive stays as it was`() {
        var archive = ZIPArchive()
        let name = String(repeating: "n", count: 1024)
        #expect(archive.add(ZIPArchive.Entry(name, byteCount: 0, checksum: 0)) == nil)
        #expect(archive.count == 0 && archive.byteCount == 0)
    }

    @Test func `The head of an entry has the same length with any checksum`() throws {
        var entry = ZIPArchive.Entry("1.jpg", byteCount: 1, checksum: 0, modified: 1)
        let first = try #require(ZIPArchive.head(of: entry))
        entry.checksum = .max
        #expect(ZIPArchive.head(of: entry)?.count == first.count)
    }
}

extension FileHandle {
    fileprivate static func creating(_ path: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(filePath: path))
    }
}
