// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import StillKit

@Suite struct `The tags of a cropped still` {
    private static let sound: [UInt8] = {
        var metadata = StillMetadata(captured: .now(), width: 4000, height: 3000)
        metadata.orientation = .turnedLeft
        return metadata.exif()
    }()

    /// Big-endian: an image directory with an orientation, then one with a thumbnail of 4 bytes.
    private static let foreign: [UInt8] =
        Array("MM".utf8) + [0, 42, 0, 0, 0, 8] + [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 26]
        + [0, 2, 0x02, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 56, 0x02, 0x02, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0]
        + [1, 2, 3, 4]

    @Test func `The tags of a crop have its size, and are upright`() throws {
        var block = try #require(ExifBlock(Self.sound))
        #expect(block.orientation == .turnedLeft)
        block.describe(width: 856, height: 540)
        var metadata = StillMetadata(captured: .now(), width: 856, height: 540)
        #expect(block.orientation == .upright)
        #expect(block.bytes.count == metadata.exif().count)
        metadata.orientation = .turnedLeft
        #expect(Self.sound.count == block.bytes.count)
    }

    @Test func `The tags of a crop have no thumbnail`() throws {
        var block = try #require(ExifBlock(Self.foreign))
        #expect(block.orientation == .turnedRight)
        block.describe(width: 10, height: 10)
        #expect(block.orientation == .upright)
        #expect(block.bytes.suffix(4) == [0, 0, 0, 0])
        #expect(block.bytes[22..<26] == [0, 0, 0, 0])
    }

    @Test(arguments: 0..<8) func `Damaged tags are read and written within their bounds`(seed: UInt64) {
        var generator = SplitMix(seed)
        for sound in [Self.sound, Self.foreign] {
            for length in 0..<min(sound.count, 80) { describe(Array(sound[..<length])) }
            for _ in 0..<500 { describe(sound.mutated(&generator)) }
        }
    }

    private func describe(_ bytes: [UInt8]) {
        guard var block = ExifBlock(bytes) else { return }
        block.describe(width: 100_000, height: 7)
        #expect(block.bytes.count == bytes.count)
    }

    @Test func `No tags are found in a file that is not a PNG`() {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for bytes in [[], [0x89], Array("PNG".utf8), signature, signature + [0xFF, 0xFF, 0xFF, 0xFF]] {
            #expect(PNGChunks(bytes).size == nil)
            #expect(ExifBlock(ofFile: bytes, .png) == nil)
        }
    }
}
