// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import StillKit

@Suite("The beginnings of picture files")
struct PictureHeadTests {
    private func tagged(_ change: (inout StillMetadata) -> Void = { _ in }) async throws -> [UInt8] {
        var metadata = JPEGFile.metadata
        change(&metadata)
        return try metadata.embedded(in: try await JPEGFile.made().bytes, .jpeg)
    }

    @Test("A JPEG has its size, its orientation and its moment with fraction and zone")
    func jpeg() async throws {
        let moment = WallTime(seconds: 1_800_000_000, nanoseconds: 123_000_000, utcOffset: -12600)
        let bytes = try await tagged { ($0.captured, $0.orientation) = (moment, .turnedRight) }
        let head = try #require(PictureHead(bytes))
        #expect(head.format == .jpeg && (head.width, head.height) == (48, 32))
        #expect(head.shownSize == (32, 48))
        #expect(head.exif?.taken == moment)
    }

    @Test("Only the beginning of a file is needed, and a shorter one gives what it has")
    func short() async throws {
        let bytes = try await tagged()
        let whole = try #require(PictureHead(bytes))
        for count in 0..<bytes.count {
            guard let head = PictureHead(Array(bytes[..<count])) else {
                #expect(count < 3)
                continue
            }
            #expect(head.exif == nil || head.exif?.taken == whole.exif?.taken)
            #expect([0, 48].contains(head.width))
        }
    }

    @Test("A PNG has its size and its tags")
    func png() throws {
        let header: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        let bytes = header + [0, 0, 1, 0, 0, 0, 0, 200, 8, 2, 0, 0, 0, 0, 0, 0, 0, 0]
        let head = try #require(PictureHead(try JPEGFile.metadata.embedded(in: bytes, .png)))
        #expect(head.format == .png && head.shownSize == (256, 200) && head.exif?.taken == JPEGFile.metadata.captured)
    }

    @Test("Without a zone, the moment is one of this machine's zone; a text that is no date is none")
    func dates() async throws {
        let bytes = try await tagged()
        func head(_ from: String, _ to: String) throws -> PictureHead {
            let (from, to) = (Array(from.utf8), Array(to.utf8))
            var changed = bytes
            for place in 0..<bytes.count - from.count where changed[place...].starts(with: from) {
                changed.replaceSubrange(place..<place + from.count, with: to)
            }
            return try #require(PictureHead(changed))
        }
        let local = WallTime(seconds: 1_700_000_000, nanoseconds: 0)
        let date = JPEGFile.metadata.captured.exifDate
        let moment = try #require(try head("+00:00", "      ").exif?.taken)
        #expect(moment.exifDate == date && moment.utcOffset == local.utcOffset)
        for wrong in ["0000:00:00 00:00:00", "2023:13:14 22:13:20", "                   ", "aaaa:bb:cc dd:ee:ff"] {
            #expect(try head(date, wrong).exif?.taken == nil, "\(wrong)")
        }
        #expect(try head(date, "2106:02:07 06:28:16").exif?.taken?.seconds == 4_294_967_296)
        #expect(try head(date, "1970:01:01 00:00:00").exif?.taken?.seconds == 0)
    }

    @Test("Damaged beginnings are read without a fault")
    func damaged() async throws {
        var numbers = SplitMix(12)
        let bytes = try await tagged()
        for _ in 0..<3000 {
            var damaged = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &numbers)))
            for _ in 0..<4 where !damaged.isEmpty {
                damaged[Int.random(in: 0..<damaged.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            let head = PictureHead(damaged)
            _ = (head?.shownSize, head?.exif?.taken)
        }
    }
}
