// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import StillKit
import Testing

@Suite("Hostile JPEG", .timeLimit(.minutes(5)))
struct HostileJPEGTests {
    @Test("A JPEG that is truncated at any byte is refused")
    func truncations() async throws {
        let bytes = try await JPEGFile.made().bytes
        for length in 0..<bytes.count {
            #expect(throws: CaptureError.self) { try JPEGFile.metadata.embedded(in: Array(bytes[..<length]), .jpeg) }
        }
    }

    @Test("A JPEG with false lengths is refused or becomes a complete file")
    func lengths() async throws {
        let file = try await JPEGFile.made()
        let sound = file.bytes
        for place in file.places + [sound.count - file.scan.count] {
            let length = Int(sound[place + 2]) * 256 + Int(sound[place + 3])
            for lie in [0, 1, 2, 3, length - 1, length + 1, length + 256, 0x7FFF, 0xFFFE, 0xFFFF] {
                var bytes = sound
                (bytes[place + 2], bytes[place + 3]) = (UInt8(lie / 256), UInt8(lie % 256))
                try expectErrorOrWhole(bytes)
            }
        }
    }

    @Test("A JPEG with misplaced markers is refused or becomes a complete file", arguments: UInt8(0)...255)
    func markers(marker: UInt8) async throws {
        let file = try await JPEGFile.made()
        for place in file.places + [file.bytes.count - file.scan.count] {
            var bytes = file.bytes
            bytes[place + 1] = marker
            try expectErrorOrWhole(bytes)
        }
    }

    @Test("A JPEG with random changes is refused or becomes a complete file", arguments: 0..<8)
    func mutations(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        let bytes = try await JPEGFile.made().bytes
        // Most of the file is scan data, but most errors are made in headers.
        let head = bytes.count - (try JPEGFile(bytes).scan.count)
        for _ in 0..<300 {
            try expectErrorOrWhole(bytes.mutated(&generator))
            try expectErrorOrWhole(Array(bytes[..<head]).mutated(&generator) + bytes[head...])
        }
    }

    @Test("A JPEG that consists only of markers is refused or becomes a complete file", arguments: 0..<4)
    func markersAlone(seed: UInt64) throws {
        var generator = SplitMix(seed)
        let pieces: [[UInt8]] = [
            [0xFF], [0xFF, 0xD8], [0xFF, 0xD9], [0xFF, 0xDA], [0xFF, 0xC0, 0, 8, 8, 0, 1, 0, 1, 0], [0xFF, 0xE1, 0, 2],
            [0],
            [0xFF, 0xC4, 0, 2], [0xFF, 0xFE, 0xFF, 0xFF], [0xFF, 0xE1, 0, 8] + Array("Exif\0\0".utf8),
        ]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...12, using: &generator)
            let body = (0..<count).flatMap { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }
            try expectErrorOrWhole([0xFF, 0xD8] + body)
        }
    }

    @Test("Many EXIF blocks of a camera are replaced by one")
    func manyTags() async throws {
        var file = try await JPEGFile.made()
        let tags: (marker: UInt8, content: [UInt8]) = (
            0xE1, Array("Exif\0\0".utf8) + [UInt8](repeating: 0xFF, count: 65_527)
        )
        file.segments.insert(contentsOf: Array(repeating: tags, count: 50), at: 1)
        let still = try JPEGFile.metadata.embedded(in: file.bytes, .jpeg)
        #expect(try JPEGFile(still).exifCount == 1)
        #expect(still.count < 100_000)
    }

    /// An accepted file begins with our tags, has an end, and does not change when it is embedded again.
    private func expectErrorOrWhole(_ bytes: [UInt8]) throws {
        do throws(CaptureError) {
            let still = try JPEGFile.metadata.embedded(in: bytes, .jpeg)
            let isWhole = still.starts(with: [0xFF, 0xD8, 0xFF, 0xE1]) && still.suffix(2) == [0xFF, 0xD9]
            #expect(isWhole, "\(bytes.prefix(400))")
            let again = try JPEGFile.metadata.embedded(in: still, .jpeg)
            #expect(again == still, "\(bytes.prefix(400))")
        } catch {
            #expect(error.code == .inputOutput)
        }
    }
}
