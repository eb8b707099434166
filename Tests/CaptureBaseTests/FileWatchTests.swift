// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CaptureBase

@Suite("A watch on a file", .timeLimit(.minutes(5)))
struct FileWatchTests {
    private let folder: TemporaryFolder
    private let queue = DispatchQueue(label: "test")

    init() throws { folder = try TemporaryFolder() }

    @Test("A file watch reports a file that is written, replaced, linked to another, or removed and created again")
    func changes() async throws {
        try folder.write("a", "1")
        try folder.write("b", "1")
        try folder.link("zone", to: "a")
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = try #require(FileWatch(folder.path + "/zone", on: queue) { report.yield() })
        var iterator = reports.makeAsyncIterator()
        // The watch covers the folder, too: it may report changes of other files.
        try folder.write("a", "2")
        await iterator.next()
        try folder.link("new", to: "b")
        try #require(rename(folder.path + "/new", folder.path + "/zone") == 0)
        await iterator.next()
        try folder.write("b", "3")
        await iterator.next()
        try folder.remove("zone")
        try folder.write("zone", "4")
        await iterator.next()
        watch.end()
    }

    @Test("300 watches of one folder need one instance of inotify, and each reports a change")
    func sharing() async throws {
        let openings = Mutex(0)
        let inotify = Inotify(open: {
            openings.withLock { $0 += 1 }
            return Self.instance()
        })
        let (reports, report) = AsyncStream.makeStream(of: Int.self)
        let watches = (0..<300).map { index in
            FileWatch(inotify, WatchedPlace(folder: folder.path), on: queue) { report.yield(index) }
        }
        try folder.write("picture", "1")
        var missing = Set(0..<300)
        for await index in reports {
            missing.remove(index)
            if missing.isEmpty { break }
        }
        #expect(openings.withLock { $0 } == 1)
        for watch in watches { watch?.end() }
    }

    @Test("A watch that ends leaves the other watches of its folder and file")
    func ending() async throws {
        try folder.write("zone", "1")
        let inotify = Inotify(open: Self.instance)
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let first = FileWatch(inotify, WatchedPlace(file: folder.path + "/zone"), on: queue) {}
        let second = FileWatch(inotify, WatchedPlace(file: folder.path + "/zone"), on: queue) { report.yield() }
        first?.end()
        var iterator = reports.makeAsyncIterator()
        // This changes only the file, not its folder.
        let handle = try #require(FileHandle(forWritingAtPath: folder.path + "/zone"))
        try handle.write(contentsOf: Data("22".utf8))
        await iterator.next()
        second?.end()
    }

    @Test("A folder that does not exist cannot be watched, and a file that does not exist yet can")
    func missing() async throws {
        #expect(FileWatch(folder: folder.path + "/missing", on: queue) {} == nil)
        #expect(FileWatch(folder.path + "/missing/file", on: queue) {} == nil)
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = try #require(FileWatch(folder.path + "/later", on: queue) { report.yield() })
        try folder.write("later", "1")
        var iterator = reports.makeAsyncIterator()
        await iterator.next()
        watch.end()
    }

    @Test("A watch that the kernel refuses is reported once, called at intervals, and made when the kernel accepts it")
    func refusal() async throws {
        let refuses = Mutex(true)
        let inotify = Inotify(
            retryInterval: .milliseconds(20),
            open: {
                guard refuses.withLock({ $0 }) else { return Self.instance() }
                errno = EMFILE
                return -1
            })
        let refusals = Mutex<[CaptureError]>([])
        inotify.reportRefusals { error in refusals.withLock { $0.append(error) } }
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = try #require(
            FileWatch(inotify, WatchedPlace(folder: folder.path), on: queue) { report.yield() })
        var iterator = reports.makeAsyncIterator()
        for _ in 0..<3 { await iterator.next() }
        #expect(refusals.withLock { $0.map(\.subject) } == ["inotify"])
        #expect(refusals.withLock { $0.first?.advice?.contains("max_user_instances") } == true)
        refuses.withLock { $0 = false }
        // Each write is reported now; calls of before may still come.
        for number in 0..<20 {
            try folder.write("picture-\(number)", "1")
            await iterator.next()
        }
        #expect(refusals.withLock { $0.count } == 1)
        watch.end()
    }

    @Test("Threads that add and end watches at the same time leave no watch in the kernel")
    func manyThreads() async throws {
        let descriptor = Self.instance()
        let inotify = Inotify(open: { descriptor })
        let paths = try (0..<4).map { number in
            try folder.write("file-\(number)", "1")
            return folder.path + "/file-\(number)"
        }
        DispatchQueue.concurrentPerform(iterations: 400) { index in
            FileWatch(inotify, WatchedPlace(file: paths[index % 4]), on: queue) {}?.end()
        }
        let state = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
        #expect(!state.contains("inotify wd:"))
    }

    @Test("Truncated, empty and random events of inotify are harmless")
    func hostile() {
        var random = SplitMix(7)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes.withUnsafeBytes { _ = FolderEvent.parse($0) }
        }
    }

    private static func instance() -> Int32 { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
}
