// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Synchronization
import Testing

@Suite("Files in hostile places", .timeLimit(.minutes(5)))
struct HostileStoreTests {
    private let folder: TemporaryFolder
    private let store = StillStore(overwrites: false, latest: nil)
    private let replacing = StillStore(overwrites: true, latest: nil)

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Impossible file names are errors with the path, and leave no files",
        arguments: [
            "", "/", ".", "..", "sub/..", "sub/.", "sub/", "sub", String(repeating: "x", count: 300), "file/a.jpg",
            "file/deeper/a.jpg", "dangling/a.jpg", "loop/a.jpg", "a\0b.jpg", "\0", "sub/\0", "sub\0/a.jpg",
        ], [false, true])
    func impossible(name: String, overwrites: Bool) throws {
        try folder.write("file", "text")
        try folder.write("sub/inner", "text")
        try folder.link("dangling", to: "nowhere")
        try folder.link("loop", to: "loop")
        let before = try content()
        #expect { try (overwrites ? replacing : store).write([1], to: folder.path + "/" + name) } throws: { error in
            (error as? CaptureError)?.subject?.isEmpty == false
        }
        #expect(try content() == before)
    }

    @Test("Dots in a path are resolved", arguments: ["sub/../a.jpg", "./a.jpg", "sub//..//a.jpg", "new/../a.jpg"])
    func dots(name: String) throws {
        try folder.write("sub/inner", "text")
        try store.write([1, 2], to: folder.path + "/" + name)
        #expect(try bytes("a.jpg") == [1, 2])
    }

    @Test(
        "Unusual file names are accepted",
        arguments: ["☕️.jpg", " ", "a\nb", "-rf", "%n", "..a", String(repeating: "x", count: 255)])
    func odd(name: String) throws {
        try store.write([], to: folder.path + "/" + name)
        #expect(try content() == [name])
        #expect(throws: CaptureError.self) { try store.write([1], to: folder.path + "/" + name) }
        #expect(try bytes(name) == [])
    }

    @Test("If several writers use the same name at once, one succeeds, and its file is complete")
    func race() throws {
        let sizes = 0..<8
        for round in 0..<20 {
            let path = "\(folder.path)/\(round).jpg"
            let winners = Mutex([Int]())
            DispatchQueue.concurrentPerform(iterations: sizes.count) { index in
                let store = StillStore(overwrites: false, latest: nil)
                do throws(CaptureError) {
                    try store.write([UInt8](repeating: UInt8(index), count: 10_000 + index), to: path)
                    winners.withLock { $0.append(index) }
                } catch {
                    #expect(error.code == .cannotCreate && error.advice?.contains("--overwrite") == true, "\(error)")
                }
            }
            let winner = try #require(winners.withLock { $0.count == 1 ? $0.first : nil })
            #expect(try bytes("\(round).jpg") == [UInt8](repeating: UInt8(winner), count: 10_000 + winner))
        }
        #expect(try content().count == 20)
    }

    @Test("If several writers use different names at once, all files exist")
    func crowd() throws {
        let failures = Mutex([CaptureError]())
        DispatchQueue.concurrentPerform(iterations: 100) { index in
            do throws(CaptureError) {
                try store.write([UInt8(index)], to: "\(folder.path)/new/deep/\(index)")
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new/deep").count == 100)
    }

    @Test("A link at the file's path is not followed, and is replaced only with overwrite")
    func linkInPlace() throws {
        try folder.write("secret", "text")
        try folder.link("a.jpg", to: "secret")
        try folder.link("b.jpg", to: "nowhere")
        for name in ["a.jpg", "b.jpg"] {
            #expect(throws: CaptureError.self) { try store.write([1], to: folder.path + "/" + name) }
            try replacing.write([1], to: folder.path + "/" + name)
            #expect(try bytes(name) == [1])
        }
        #expect(try bytes("secret") == Array("text".utf8))
        #expect(try content() == ["a.jpg", "b.jpg", "secret"])
    }

    @Test("The link to the newest picture always leads to a complete picture")
    func latest() throws {
        let link = folder.path + "/latest.jpg"
        let store = StillStore(overwrites: false, latest: link)
        try store.write([UInt8](repeating: 0, count: 5000), to: "\(folder.path)/0.jpg")
        try store.pointLatest(at: "\(folder.path)/0.jpg")
        let reader = Reader(of: link, expecting: 5000)
        for number in 1...60 {
            try store.write([UInt8](repeating: UInt8(number), count: 5000), to: "\(folder.path)/\(number).jpg")
            try store.pointLatest(at: "\(folder.path)/\(number).jpg")
        }
        #expect(reader.end() == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "60.jpg")
        #expect(try content().count == 62)
    }

    @Test("If the link cannot be made, the picture still exists, and a file at the link's path stays")
    func latestFails() throws {
        try folder.write("file", "text")
        try folder.write("sub/inner", "text")
        for (index, latest) in ["file", "sub", "file/latest.jpg", "sub/inner/latest.jpg", "late\0st"].enumerated() {
            let store = StillStore(overwrites: false, latest: folder.path + "/" + latest)
            let path = "\(folder.path)/\(index).jpg"
            #expect(throws: CaptureError.self) {
                try store.write([1], to: path)
                try store.pointLatest(at: path)
            }
            #expect(FileManager.default.fileExists(atPath: path) == !latest.utf8.contains(0))
        }
        #expect(try bytes("file") == Array("text".utf8))
        #expect(try content() == ["0.jpg", "1.jpg", "2.jpg", "3.jpg", "file", "sub"])
    }

    @Test(
        "A link to the newest picture that is dangling, circular or of a folder is replaced",
        arguments: ["nowhere", "latest.jpg", "/"])
    func latestReplaced(destination: String) throws {
        try folder.link("latest.jpg", to: destination)
        let store = StillStore(overwrites: false, latest: folder.path + "/latest.jpg")
        try store.write([7], to: folder.path + "/a.jpg")
        try store.pointLatest(at: folder.path + "/a.jpg")
        #expect(try bytes("latest.jpg") == [7])
    }

    @Test("Paths may be relative, and the link resolves to the picture from any folder")
    func relative() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try #require(chdir(folder.path) == 0)
            let links = ["latest.jpg", "sub/latest.jpg", folder.path + "/sub/other.jpg"]
            for (index, path) in ["a.jpg", "new/b.jpg", "./c.jpg"].enumerated() {
                let store = StillStore(overwrites: false, latest: links[index])
                try store.write([UInt8(index + 1)], to: path)
                try store.pointLatest(at: path)
            }
            for (name, byte) in [("latest.jpg", 1), ("sub/latest.jpg", 2), ("sub/other.jpg", 3)] {
                try #require(FileManager.default.contents(atPath: name) == Data([UInt8(byte)]))
            }
        }
    }

    @Test("A file above the system's size limit is an error, and leaves no files")
    func tooLarge() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 10_000, rlim_max: 10_000)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            for overwrites in [false, true] {
                let store = StillStore(overwrites: overwrites, latest: folder.path + "/latest.jpg")
                #expect(throws: CaptureError.self) {
                    try store.write([UInt8](repeating: 1, count: 10_001), to: folder.path + "/a")
                }
                try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            }
            try StillStore(overwrites: false, latest: nil).write(
                [UInt8](repeating: 1, count: 10_000), to: folder.path + "/a")
        }
    }

    @Test(
        "A file in a system folder is refused",
        arguments: ["/proc/a.jpg", "/proc/self/new/a.jpg", "/dev/null/a.jpg"])
    func systemFolders(path: String) {
        #expect(throws: CaptureError.self) { try store.write([1], to: path) }
    }

    /// The names of all files in the folder.
    private func content() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: folder.path + "/" + name)))
    }
}

/// Reads a file repeatedly on a separate thread.
private final class Reader: Sendable {
    private let isOver = Atomic(false)
    private let failures = Atomic(0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(of path: String, expecting count: Int) {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                if FileManager.default.contents(atPath: path)?.count != count { failures.add(1, ordering: .relaxed) }
            }
            hasEnded.signal()
        }
    }

    /// Stops the thread; returns how often the file was missing or not whole.
    func end() -> Int {
        isOver.store(true, ordering: .relaxed)
        hasEnded.wait()
        return failures.load(ordering: .relaxed)
    }
}
