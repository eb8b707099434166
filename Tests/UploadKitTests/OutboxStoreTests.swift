// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import SystemBase
import Testing

@testable import UploadKit

@Suite("The store of an outbox")
struct OutboxStoreTests {
    private let folder: TemporaryFolder
    private let store: OutboxStore
    private let lane: OutboxStore.Lane

    init() throws {
        folder = try TemporaryFolder()
        store = try OutboxStore(folder: folder.path + "/outbox")
        lane = OutboxStore.Lane(target: "nas", source: try store.source("/a.ledger", identity: "1"))
    }

    private func picture(_ line: Int) -> (picture: UploadPicture, name: String) {
        let picture = UploadPicture(
            line: line, path: "/a/\(line).jpg", byteCount: 100, sha256: String(repeating: "ab", count: 32),
            taken: WallTime(seconds: 1_800_000_000, nanoseconds: 5_000_000, utcOffset: 3600))
        return (picture, "a/\(line).jpg")
    }

    @Test func `A picture that is finished or skipped counts at its target`() throws {
        let jobs = try store.take(1...3, [picture(2), picture(3)], lane)
        try store.finish(jobs[0], at: .test(0))
        try store.skip(jobs[1])
        let state = try store.targets()["nas"]
        #expect(state?.sentBytes == 100 && state?.skippedCount == 1)
    }

    @Test func `Another ledger at the same path is another source`() throws {
        _ = try store.take(1...9, [], lane)
        let other = OutboxStore.Lane(target: "nas", source: try store.source("/a.ledger", identity: "2"))
        #expect(try store.taken(lane).ranges == [1...9])
        #expect(try store.taken(other).ranges.isEmpty)
        #expect(try store.knownSource("/b.ledger", identity: "2") == nil)
    }

    @Test func `Random lines agree with ranges in memory`() throws {
        var generator = SplitMix(5)
        var expected = LineRanges()
        for _ in 0..<300 {
            let first = Int.random(in: 1...200, using: &generator)
            let lines = first...first + Int.random(in: 0...9, using: &generator)
            expected.insert(lines)
            _ = try store.take(lines, [], lane)
            #expect(try store.taken(lane) == expected)
        }
    }

    @Test func `Jobs survive with their state`() throws {
        var job = try #require(try store.take(1...1, [picture(1)], lane).first)
        (job.state, job.failures, job.reason, job.token, job.name) = (.dead, 3, "too large", "t", "a/1-2.jpg")
        try store.update(job)
        let again = try OutboxStore(folder: folder.path + "/outbox")
        #expect(try again.jobs(of: "nas", isDead: true) == [job])
        #expect(try again.jobs(isDead: false).isEmpty)
        #expect(try again.job(job.id) == job)
    }

    @Test func `Requests are taken once, in their order`() throws {
        let requests = [OutboxRequest(.pause, target: "nas"), OutboxRequest(.retry, target: "nas", job: 7)]
        for request in requests { try store.add(request) }
        #expect(try store.takeRequests() == requests)
        #expect(try store.takeRequests().isEmpty)
    }

    @Test(arguments: ["not a database at all, but long enough to be looked at", ""])
    func `A file that is something else is not used`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("outbox/outbox.db", text)
        if text.isEmpty {
            _ = try OutboxStore(folder: folder.path + "/outbox")
        } else {
            let error = #expect(throws: CaptureError.self) { _ = try OutboxStore(folder: folder.path + "/outbox") }
            #expect(error?.advice?.contains("remove the file") ?? false)
        }
    }

    @Test func `Damage in a store is an error, and no crash`() throws {
        _ = try store.take(1...3, (1...3).map(picture), lane)
        let path = folder.path + "/outbox/outbox.db"
        let bytes = try RegularFile.read(path, most: 1 << 20)
        var generator = SplitMix(9)
        for round in 0..<200 {
            let name = "damaged-\(round)"
            let damaged = bytes.mutated(&generator)
            try folder.write(name + "/x", "")
            try damaged.withUnsafeBytes { try Self.write($0, folder.path + "/\(name)/outbox.db") }
            do throws(CaptureError) {
                let store = try OutboxStore(folder: folder.path + "/" + name)
                _ = try store.jobs(isDead: false)
                _ = try store.taken(lane)
                _ = try store.targets()
            } catch { #expect(error.code == .inputOutput) }
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count)
    }
}
