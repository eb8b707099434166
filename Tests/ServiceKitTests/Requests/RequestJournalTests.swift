// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
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
        for number in ["x", "-1", "99999999999999999999", ""] {
            let words = line.split(separator: " ")
            for index in 2..<15 {
                var changed = words
                changed[index] = number[...]
                _ = PlannedPicture(changed.joined(separator: " ")[...])
            }
        }
    }

    @Test("A response is kept for a day, also by the next process, and its name belongs to one request")
    func lifetime() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/requests"
        do {
            let journal = RequestJournal(path) { 1_000_000 }
            #expect(try await journal.begin("one", fingerprint: "a") == .new)
            #expect(try await journal.begin("one", fingerprint: "a") == .running)
            #expect(try await journal.begin("one", fingerprint: "b") == .different)
            try await journal.finish("one", Self.response)
            #expect(try await journal.begin("two", fingerprint: "a") == .new)
            await journal.abandon("two")
            #expect(try await journal.begin("two", fingerprint: "b") == .new)
            let other = RequestJournal(path) { 1_000_000 }
            await #expect(throws: CaptureError.self) { try await other.begin("one", fingerprint: "a") }
        }
        try Data("no record".utf8).write(to: URL(filePath: path + "/" + String(repeating: "0", count: 64)))
        let next = RequestJournal(path) { 1_000_000 + 24 * 3600 }
        #expect(try await next.begin("one", fingerprint: "a") == .known(Self.response))
        #expect(try await next.begin("one", fingerprint: "b") == .different)
        #expect(try await next.unanswered().values.map(\.name) == ["two"])
    }

    @Test("A response that is older than a day is forgotten")
    func forgotten() async throws {
        let folder = try TemporaryFolder()
        do {
            let journal = RequestJournal(folder.path) { 0 }
            _ = try await journal.begin("one", fingerprint: "a")
            try await journal.finish("one", Self.response)
        }
        let next = RequestJournal(folder.path) { 24 * 3600 + 1 }
        #expect(try await next.begin("one", fingerprint: "a") == .new)
    }
}
