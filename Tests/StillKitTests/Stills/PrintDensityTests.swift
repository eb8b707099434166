// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import StillKit

@Suite struct `A picture for print` {
    private static func file(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Corpus/\(name)")))
    }

    /// 827 pixels are 35 mm wide at 600 dots per inch.
    private static let density = PrintDensity(width: 827, millimeters: 35)

    @Test func `A JPEG states its density in its JFIF header, which it gets if it has none`() throws {
        #expect(Self.density.dotsPerMeter == 23_629)
        for name in ["plain.jpg", "cmyk-adobe.jpg"] {
            let bytes = try Self.density.written(in: Self.file(name), .jpeg)
            let headers = try JPEGFile(bytes).segments.filter { $0.marker == 0xE0 }
            #expect(headers.count == 1, "\(name)")
            let header = try #require(headers.first?.content)
            #expect(header.starts(with: Array("JFIF\0".utf8)))
            // The unit is the inch.
            #expect(header[7...11].elementsEqual([1, 2, 88, 2, 88]))
            #expect(try PictureFile(bytes, .jpeg).width == 32)
        }
    }

    @Test func `A PNG states its density in one chunk`() throws {
        let bytes = try Self.density.written(in: Self.file("profile.png"), .png)
        let chunk = try #require(PNGChunks(bytes).first("pHYs"))
        #expect(chunk == [0, 0, 92, 77, 0, 0, 92, 77, 1])
        try PictureFile(bytes, .png).decode(isStrict: true, until: CancelFlag()) { _, _ in }
        #expect(PNGChunks(PNGChunks(bytes).without(["pHYs"])).first("pHYs") == nil)
    }

    @Test func `The tags of a picture state the same density`() throws {
        var tags = try #require(ExifBlock(StillMetadata(captured: .now(), width: 827, height: 1063).exif()))
        tags.describe(dotsPerMeter: Self.density.dotsPerMeter)
        // The number of dots per inch is a fraction: 23,629 x 254 / 10,000.
        let fraction = UInt32(23_629 * 254).bytes + UInt32(10_000).bytes
        let places = tags.bytes.indices.filter { tags.bytes[$0...].starts(with: fraction) }
        #expect(places.count == 2)
    }
}

@Suite struct `The place where a picture was taken` {
    /// Little-endian: an image directory with a camera and a position, whose latitude is 48° 8' 13".
    private static let tags: [UInt8] = {
        let head: [UInt8] = Array("II".utf8) + [42, 0, 8, 0, 0, 0]
        let image: [UInt8] = [
            2, 0, 0x0F, 0x01, 2, 0, 4, 0, 0, 0, 65, 66, 67, 0, 0x25, 0x88, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0, 0, 0, 0, 0,
        ]
        let position: [UInt8] = [
            2, 0, 1, 0, 2, 0, 2, 0, 0, 0, 78, 0, 0, 0, 2, 0, 5, 0, 3, 0, 0, 0, 68, 0, 0, 0, 0, 0, 0, 0,
        ]
        let latitude: [UInt8] = [48, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 13, 0, 0, 0, 1, 0, 0, 0]
        return head + image + position + latitude
    }()

    private static func file(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let format: StillFormat = name.hasSuffix(".png") ? .png : .jpeg
        let bytes = Array(try Data(contentsOf: folder.appending(path: "Corpus/\(name)")))
        return try ExifEmbedding(tags, width: 32, height: 32).embedded(in: bytes, format)
    }

    @Test(arguments: [("plain.jpg", StillFormat.jpeg), ("two-pictures.jpg", .jpeg), ("plain.png", .png)])
    func `The place is removed, and the other tags and the pixels stay`(name: String, format: StillFormat) throws {
        let file = try Self.file(name)
        #expect(PictureLocation.isIn(file, format))
        let plain = try PictureLocation.removed(from: file, format)
        #expect(!PictureLocation.isIn(plain, format))
        let degrees = Self.tags.suffix(24)
        #expect(!plain.indices.contains { plain[$0...].starts(with: degrees) })
        let block = try #require(ExifBlock(ofFile: plain, format))
        #expect(block.values.contains { $0.name == "Make" })
        var (before, after) = ([[SIMD4<UInt8>]](), [[SIMD4<UInt8>]]())
        try PictureFile(file, format).decode(isStrict: true, until: CancelFlag()) { row, _ in before.append(Array(row))
        }
        try PictureFile(plain, format).decode(isStrict: true, until: CancelFlag()) { row, _ in after.append(Array(row))
        }
        #expect(before == after)
    }

    @Test func `XMP, texts and further pictures are left out with the place`() throws {
        var jpeg = try JPEGFile(Self.file("plain.jpg"))
        let xmp = Array("http://ns.adobe.com/xap/1.0/\0<x exif:GPSLatitude='48,8.2N'/>".utf8)
        jpeg.segments.insert((0xE1, xmp), at: 1)
        let plain = try PictureLocation.removed(from: jpeg.bytes + Self.file("plain.jpg"), .jpeg)
        #expect(try JPEGFile(plain).exifCount == 1)
        #expect(!String(decoding: plain, as: UTF8.self).contains("GPSLatitude"))
        #expect(plain.count < jpeg.bytes.count)
    }

    @Test(arguments: UInt64(0)..<8) func `Damaged tags lose their place within their bounds`(seed: UInt64) {
        var random = SplitMix(seed)
        for _ in 0..<500 {
            let damaged = Self.tags.mutated(&random)
            guard var block = ExifBlock(damaged) else { continue }
            block.removeLocation()
            block.describe(dotsPerMeter: 23_629)
            #expect(block.bytes.count == damaged.count)
        }
    }
}
