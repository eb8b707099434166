// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing

@Suite struct `A JPEG picture` {
    /// SOI, a JFIF header, a frame header of 16 x 8, a Huffman table, a scan with stuffed bytes, EOI.
    private static let bytes: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0]
        + [0xFF, 0xC4, 0, 3, 9] + scan
    private static let scan: [UInt8] = [
        0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4, 0xFF, 0xD9,
    ]

    private static let metadata = StillMetadata(
        captured: WallTime(seconds: 1_700_000_000, nanoseconds: 123_000_000, utcOffset: 3600), width: 16, height: 8)

    @Test func `A tagged JPEG picture has its tags at the start, and its scan data is unchanged`() throws {
        let result = try Self.metadata.embedded(in: Self.bytes, .jpeg)
        #expect(result.suffix(Self.scan.count).elementsEqual(Self.scan))
        #expect(result[2...3].elementsEqual([0xFF, 0xE1]))
        let again = try Self.metadata.embedded(in: result, .jpeg)
        #expect(again == result)
    }

    @Test func `A tagged JPEG picture has no padding after its end`() throws {
        let padded = Self.bytes + [UInt8](repeating: 0, count: 500)
        #expect(try Self.metadata.embedded(in: padded, .jpeg) == Self.metadata.embedded(in: Self.bytes, .jpeg))
    }

    @Test func `A JPEG picture without Huffman tables gets the standard ones`() throws {
        let bare = Self.bytes[..<21] + Self.bytes[26...]
        let result = try Self.metadata.embedded(in: Array(bare), .jpeg)
        #expect(result.count > Self.bytes.count + 400)
    }

    @Test func `A frame without Huffman tables gets them before its scan, and any other frame stays as it is`() throws {
        let bare = Array(Self.bytes[..<21] + Self.bytes[26...])
        let repaired = JPEGPicture.addingTables(to: bare)
        #expect(repaired.starts(with: bare[..<21]) && repaired[21...].starts(with: [0xFF, 0xC4]))
        #expect(repaired.suffix(Self.scan.count).elementsEqual(Self.scan))
        #expect(repaired.count == bare.count + 420)
        for frame in [
            Self.bytes, repaired, [], [0xFF], [0xFF, 0xD8, 0xFF, 0xFF, 0xFF], [0xFF, 0xD8, 0xFF, 0xE0, 0, 0],
        ] {
            #expect(JPEGPicture.addingTables(to: frame) == frame)
        }
    }

    @Test func `A JPEG picture that is truncated at any byte is refused`() {
        for length in 0..<Self.bytes.count {
            #expect(throws: CaptureError.self) { try JPEGPicture(Array(Self.bytes[..<length])) }
        }
    }

    @Test func `A JPEG picture with random changes never causes a trap`() {
        var generator = SplitMix(1)
        for _ in 0..<5000 {
            var bytes = Self.bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            for format in StillFormat.allCases { _ = try? Self.metadata.embedded(in: bytes, format) }
        }
    }
}
