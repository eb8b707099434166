// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

@testable import ServiceKit

@Suite("Journal of requests", .timeLimit(.minutes(2)))
struct RequestJournalTests {
    private static let response = RecordedResponse(
        status: 201, headers: [.init("Location", "/a b"), .init("Content-Type", "image/jpeg")],
        body: [0, 10, 10, 255, 13])
    private static let picture = PlannedPicture(
        camera: "garden", path: "/srv/with space/a.jpg", sha256: String(repeating: "a", count: 64), byteCount: 5,
        width: 2, height: 3, captured: WallTime(seconds: 1_700_000_000, nanoseconds: 5, utcOffset: -3600),
        due: WallTime(seconds: 1_700_000_001, nanoseconds: 0, utcOffset: 0), offset: -7, isLate: true, burstIndex: 1,
        sequence: 9)

    /// A clock of this many seconds that is set.
    private static func clock(_ seconds: Int64) -> AgeClock {
        AgeClock(.init(wall: seconds, steady: seconds, isSynchronized: true), firstTime: 0)
    }

    @Test("A record has the same content after it was written and read")
    func text() {
        var record = RequestRecord(name: "key a", fingerprint: "f", time: 5, pictures: [Self.picture, Self.picture])
        #expect(RequestRecord(record.bytes) == record)
        record.response = Self.response
        #expect(RequestRecord(record.bytes) == record)
    }

    @Test("Damaged records are refused, and none of them ends the program")
    func damaged() {
        var record = RequestRecord(name: "key a", fingerprint: "f", time: 5, pictures: [Self.picture])
        record.response = Self.response
        let bytes = record.bytes
        for count in 0..<bytes.count { #expect(RequestRecord(Array(bytes.prefix(count))) == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x15
            _ = RequestRecord(changed)
        }
        let line = Self.picture.text
        let numbers = [
            "x", "-1", "99999999999999999999", "", "\(Int64.max)", "\(Int64.min)", "\(Int64.max - 1)", "\(1 << 50)",
        ]
        for number in numbers {
            let words = line.split(separator: " ")
            for index in 2..<15 {
                var changed = words
                changed[index] = number[...]
                guard let picture = PlannedPicture(changed.joined(separator: " ")[...]) else { continue }
                // Accepted numbers do not overflow in computations.
                #expect(picture.byteCount + 1 > 0 && picture.sequence + 1 > 0 && picture.burstIndex + 1 > 0)
                #expect(!picture.captured.iso8601.isEmpty && picture.due.millisecondsSince1970 != .max)
            }
        }
    }

    @Test("A service starts with any crafted record, and removes none of the user's files")
    func crafted() async throws {
        let folder = try TemporaryFolder()
        let outside = try folder.write("outside.jpg", "12345")
        let words = Self.picture.text.split(separator: " ", maxSplits: 15).map(String.init)
        for (index, number) in [(2, Int64.max), (3, .max), (5, .max), (8, .min), (13, .max), (14, .max)] {
            var changed = words
            changed[index] = "\(number)"
            changed[15] = outside
            let text = "gst-capture request 1\nname key\nfingerprint f\ntime \(Int64.max)\n"
            try folder.write(
                "\(index)/\(RequestJournal.id("key"))", text + "picture \(changed.joined(separator: " "))\n\n")
            let journal = RequestJournal(folder.path + "/\(index)")
            _ = try await journal.interrupted()
            #expect(try await journal.begin("key", fingerprint: "f") == .new)
        }
        #expect(FileManager.default.fileExists(atPath: outside))
    }

    private func files(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.count { $0.utf8.count == 64 } ?? 0
    }

    @Test("Nothing is written before a request has an effect, except if its response promises a result")
    func written() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/state/requests"
        let journal = RequestJournal(path)
        #expect(try await journal.begin("one", fingerprint: "a") == .new)
        #expect(files(path) == 0)
        await journal.plan(Self.picture, for: "one", replacing: false)
        #expect(files(path) == 1)
        #expect(try await journal.begin("two", fingerprint: "a", isDurable: true) == .new)
        #expect(files(path) == 2)
        // Other users may not read a new state folder.
        for folder in [folder.path + "/state", path] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test(
        "A clock that jumps ahead forgets no request of this process, and none of an earlier one while it is in doubt")
    func jump() async throws {
        let folder = try TemporaryFolder()
        let start = AgeClock.firstTime
        do {
            let journal = RequestJournal(folder.path) { Self.clock(start) }
            _ = try await journal.begin("earlier", fingerprint: "a")
            try await journal.finish("earlier", Self.response)
        }
        let clock = Mutex(AgeClock(.init(wall: start + 60, steady: 0, isSynchronized: false)))
        let journal = RequestJournal(folder.path) { clock.withLock { $0 } }
        _ = try await journal.begin("own", fingerprint: "a")
        try await journal.finish("own", Self.response)
        clock.withLock { $0.update(.init(wall: start + 1_000_000, steady: 10, isSynchronized: false)) }
        for name in ["own", "earlier"] {
            #expect(try await journal.begin(name, fingerprint: "a") == .known(Self.response), "\(name)")
        }
        clock.withLock { $0.update(.init(wall: start + 1_000_001, steady: 11, isSynchronized: true)) }
        #expect(try await journal.begin("own", fingerprint: "a") == .known(Self.response))
        #expect(try await journal.begin("earlier", fingerprint: "a") == .new)
    }

    @Test("A brief response is repeated for ten minutes, and never in a file")
    func brief() async throws {
        let folder = try TemporaryFolder()
        let clock = Mutex(Int64(0))
        let journal = RequestJournal(folder.path) { Self.clock(clock.withLock { $0 }) }
        _ = try await journal.begin("one", fingerprint: "a")
        try await journal.finish("one", Self.response, isBrief: true)
        #expect(try await journal.begin("one", fingerprint: "a") == .known(Self.response))
        #expect(files(folder.path) == 0)
        clock.withLock { $0 = 601 }
        #expect(try await journal.begin("one", fingerprint: "a") == .new)
    }

    @Test("The newest brief responses have a limit in memory")
    func memory() async throws {
        let folder = try TemporaryFolder()
        let journal = RequestJournal(folder.path) { Self.clock(0) }
        let large = RecordedResponse(status: 200, headers: [], body: [UInt8](repeating: 1, count: 12 << 20))
        for name in ["one", "two", "three"] {
            _ = try await journal.begin(name, fingerprint: "a")
            try await journal.finish(name, large, isBrief: true)
        }
        var known = 0
        for name in ["one", "two", "three"] where try await journal.begin(name, fingerprint: "a") == .known(large) {
            known += 1
        }
        #expect(known == 2)
        #expect(try await journal.begin("three", fingerprint: "a") == .known(large))
    }

    @Test("A request that failed after it planned pictures is interrupted, also in the next process")
    func interrupted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        do {
            let journal = RequestJournal(path)
            _ = try await journal.begin("none", fingerprint: "a")
            await journal.release("none")
            #expect(try await journal.begin("none", fingerprint: "b") == .new)
            _ = try await journal.begin("one", fingerprint: "a")
            await journal.plan(Self.picture, for: "one", replacing: false)
            #expect(try await journal.begin("one", fingerprint: "a") == .running)
            await journal.release("one")
            #expect(try await journal.begin("one", fingerprint: "b") == .different)
            #expect(try await journal.begin("one", fingerprint: "a") == .interrupted)
        }
        let next = RequestJournal(path)
        #expect(try await next.begin("one", fingerprint: "a") == .interrupted)
        #expect(try await next.interrupted() == ["one"])
        #expect(try await next.resume("one")?.pictures == [Self.picture])
        #expect(try await next.resume("one") == nil, "one at a time")
        await next.forget("one")
        #expect(try await next.begin("one", fingerprint: "a") == .new)
    }

    @Test("The repeat of a request that is being answered after an interruption waits for the answer")
    func resumed() async throws {
        let folder = try TemporaryFolder()
        let journal = RequestJournal(folder.path)
        _ = try await journal.begin("one", fingerprint: "a")
        await journal.plan(Self.picture, for: "one", replacing: false)
        await journal.release("one")
        _ = try #require(try await journal.resume("one"))
        let response = RecordedResponse(status: 201, headers: [], body: [1])
        let repeated = Task { try await journal.begin("one", fingerprint: "a") }
        try await journal.finish("one", response)
        #expect(try await repeated.value == .known(response))
    }

    @Test("A folder that cannot be written keeps no picture from being taken, and its records stay in memory")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/requests"
        let journal = RequestJournal(path)
        #expect(try await journal.begin("one", fingerprint: "a") == .new)
        // A file in the place of the folder: as on a full disk, nothing can be written.
        try folder.remove("requests")
        try folder.write("requests", "")
        await journal.plan(Self.picture, for: "one", replacing: false)
        #expect(journal.fault != nil)
        await #expect(throws: CaptureError.self) { try await journal.finish("one", Self.response) }
        #expect(try await journal.begin("one", fingerprint: "a") == .known(Self.response))
        _ = try await journal.begin("two", fingerprint: "a")
        await journal.plan(Self.picture, for: "two", replacing: false)
        await journal.release("two")
        #expect(try await journal.begin("two", fingerprint: "a") == .interrupted)
        try folder.remove("requests")
        _ = try await journal.begin("three", fingerprint: "a")
        try await journal.finish("three", Self.response)
        #expect(journal.fault == nil)
    }

    @Test("A request whose record was removed with the folder is refused, and captures no second picture")
    func removed() async throws {
        let folder = try TemporaryFolder()
        let journal = RequestJournal(folder.path + "/requests")
        _ = try await journal.begin("one", fingerprint: "a")
        try await journal.finish("one", Self.response)
        try folder.remove("requests")
        let error = await #expect(throws: CaptureError.self) { try await journal.begin("one", fingerprint: "a") }
        #expect(error?.code == .temporary && error?.advice != nil)
    }

    @Test("A folder that cannot be used is an error of the service, not of the client")
    func unusable() async throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        let journal = RequestJournal(folder.path + "/file/requests")
        let error = await #expect(throws: CaptureError.self) { try await journal.begin("one", fingerprint: "a") }
        #expect(error?.code == .temporary)
    }

    @Test("A response is kept for a day, also by the next process, and its name belongs to one request")
    func lifetime() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/requests"
        do {
            let journal = RequestJournal(path) { Self.clock(1_000_000) }
            #expect(try await journal.begin("one", fingerprint: "a") == .new)
            #expect(try await journal.begin("one", fingerprint: "a") == .running)
            #expect(try await journal.begin("one", fingerprint: "b") == .different)
            try await journal.finish("one", Self.response)
            #expect(try await journal.begin("two", fingerprint: "a") == .new)
            await journal.release("two")
            #expect(try await journal.begin("two", fingerprint: "b", isDurable: true) == .new)
            let other = RequestJournal(path) { Self.clock(1_000_000) }
            await #expect(throws: CaptureError.self) { try await other.begin("one", fingerprint: "a") }
        }
        try Data("no record".utf8).write(to: URL(filePath: path + "/" + String(repeating: "0", count: 64)))
        let next = RequestJournal(path) { Self.clock(1_000_000 + 24 * 3600) }
        #expect(try await next.begin("one", fingerprint: "a") == .known(Self.response))
        #expect(try await next.begin("one", fingerprint: "b") == .different)
        #expect(try await next.interrupted() == ["two"])
    }

    @Test("A response that is older than a day is forgotten")
    func forgotten() async throws {
        let folder = try TemporaryFolder()
        do {
            let journal = RequestJournal(folder.path) { Self.clock(0) }
            _ = try await journal.begin("one", fingerprint: "a")
            try await journal.finish("one", Self.response)
        }
        let next = RequestJournal(folder.path) { Self.clock(24 * 3600 + 1) }
        #expect(try await next.begin("one", fingerprint: "a") == .new)
    }
}
