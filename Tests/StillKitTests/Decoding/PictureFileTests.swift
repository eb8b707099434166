// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing

/// Files of 32 x 32 pixels as phones, scanners and editors write them: red and green above, blue and yellow below.
@Suite(.timeLimit(.minutes(5))) struct `A picture file` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")
    private static let red = SIMD4<UInt8>(220, 20, 20, 255), green = SIMD4<UInt8>(20, 200, 20, 255)
    private static let blue = SIMD4<UInt8>(20, 20, 220, 255), yellow = SIMD4<UInt8>(220, 220, 20, 255)

    private static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    /// A decoded picture: its rows as they are stored.
    private static func rows(
        _ bytes: [UInt8], _ format: StillFormat, divisor: Int = 1
    ) throws(CaptureError) -> [[SIMD4<UInt8>]] {
        var rows: [[SIMD4<UInt8>]] = []
        try PictureFile(bytes, format).decode(divisor: divisor, isStrict: true, until: CancelFlag()) { row, _ in
            rows.append(Array(row))
        }
        return rows
    }

    /// The colors at the centers of the four fields.
    private static func fields(_ rows: [[SIMD4<UInt8>]]) -> [SIMD4<UInt8>] {
        let (near, far) = (rows.count / 4, rows.count * 3 / 4)
        return [rows[near][near], rows[near][far], rows[far][near], rows[far][far]]
    }

    private static func isNear(_ one: [SIMD4<UInt8>], _ other: [SIMD4<UInt8>]) -> Bool {
        zip(one, other).allSatisfy { one, other in
            (0..<4).allSatisfy { abs(Int(one[$0]) - Int(other[$0])) <= 12 }
        }
    }

    @Test(arguments: [
        "plain.jpg", "full-chroma.jpg", "half-chroma.jpg", "progressive.jpg", "restarts.jpg", "rgb-adobe.jpg",
        "cmyk-adobe.jpg", "cmyk-plain.jpg", "cmyk-progressive.jpg", "ycck-adobe.jpg", "two-pictures.jpg",
        "profile.jpg", "arithmetic.jpg", "plain.png", "palette.png", "interlaced.png", "color-16.png", "profile.png",
    ])
    func `A picture file of each color model and coding has its colors`(name: String) throws {
        let rows = try Self.rows(Self.file(name), name.hasSuffix(".png") ? .png : .jpeg)
        #expect(rows.count == 32 && rows.allSatisfy { $0.count == 32 })
        #expect(Self.isNear(Self.fields(rows), [Self.red, Self.green, Self.blue, Self.yellow]), "\(Self.fields(rows))")
    }

    @Test(arguments: ["gray.jpg", "gray.png", "gray-16.png", "gray-alpha.png"])
    func `A gray picture file is gray`(name: String) throws {
        let rows = try Self.rows(Self.file(name), name.hasSuffix(".png") ? .png : .jpeg)
        let expected = [80, 125, 43, 197].map { SIMD4<UInt8>(UInt8($0), UInt8($0), UInt8($0), 255) }
        #expect(Self.isNear(Self.fields(rows), expected), "\(Self.fields(rows))")
    }

    @Test func `A picture file keeps its transparency`() throws {
        let half = try Self.rows(Self.file("alpha.png"), .png)
        #expect(half.joined().allSatisfy { $0.w == 128 } && half[0][0] == SIMD4(220, 20, 20, 128))
        let palette = try Self.rows(Self.file("palette-transparent.png"), .png)
        #expect(palette[0][0].w == 0 && palette[31][31] == Self.yellow)
        #expect(try PictureFile(Self.file("alpha.png"), .png).hasAlpha)
        #expect(try !PictureFile(Self.file("plain.png"), .png).hasAlpha)
    }

    @Test func `A JPEG file is decoded at a fraction of its size`() throws {
        let bytes = try Self.file("plain.jpg")
        #expect(try PictureFile(bytes, .jpeg).divisor(forWidth: 4, height: 4) == 4)
        #expect(try PictureFile(bytes, .jpeg).divisor(forWidth: 20, height: 20) == 1)
        let rows = try Self.rows(bytes, .jpeg, divisor: 4)
        #expect(rows.count == 8 && rows[0].count == 8)
    }

    // MARK: Refusals

    private static func refusal(_ bytes: [UInt8], _ format: StillFormat) -> CaptureError? {
        do throws(CaptureError) {
            _ = try rows(bytes, format)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A PNG file that is cut off at any byte is refused`() throws {
        let bytes = try Self.file("plain.png")
        for length in 0..<bytes.count {
            #expect(Self.refusal(Array(bytes[..<length]), .png)?.code == .inputOutput, "\(length) bytes")
        }
    }

    @Test func `A PNG file with a wrong checksum in any chunk is refused`() throws {
        for name in ["plain.png", "profile.png", "palette-transparent.png"] {
            let bytes = try Self.file(name)
            var place = 8
            while place + 12 <= bytes.count {
                let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
                var damaged = bytes
                damaged[place + 8 + length] ^= 1
                #expect(Self.refusal(damaged, .png)?.code == .inputOutput, "\(name) at \(place)")
                place += 12 + length
            }
        }
    }

    @Test func `A JPEG file that lacks a part of its data is refused, unless damage is accepted`() throws {
        var file = try JPEGFile(Self.file("full-chroma.jpg"))
        file.scan = Array(file.scan.prefix(40)) + [0xFF, 0xD9]
        #expect(Self.refusal(file.bytes, .jpeg)?.code == .inputOutput)
        var count = 0
        try PictureFile(file.bytes, .jpeg).decode(isStrict: false, until: CancelFlag()) { _, _ in count += 1 }
        #expect(count == 32)
    }

    @Test func `A JPEG file with very many scans is refused before they are decoded`() throws {
        let bytes = try Self.file("progressive.jpg")
        let last = try #require(bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let end = bytes.count - 2
        var many = Array(bytes[..<end])
        for _ in 0..<40 { many += bytes[last..<end] }
        let error = try #require(Self.refusal(many + [0xFF, 0xD9], .jpeg))
        #expect(error.code == .noInput && error.message.contains("scans"))
    }

    @Test func `A kind of JPEG that cannot be read is refused in true words`() throws {
        var file = try JPEGFile(Self.file("plain.jpg"))
        let header = try #require(file.segments.firstIndex { $0.marker == 0xC0 })
        file.segments[header].content[0] = 12
        let deep = try #require(Self.refusal(file.bytes, .jpeg))
        #expect(deep.code == .noInput && deep.message.contains("precision 12"))
        file.segments[header].content[0] = 8
        file.segments[header].marker = 0xC3
        let lossless = try #require(Self.refusal(file.bytes, .jpeg))
        #expect(lossless.code == .noInput && lossless.message.contains("kind of JPEG"))
    }

    @Test(arguments: ["plain.png", "interlaced.png", "plain.jpg"])
    func `Decoding ends with the row at which it is canceled`(name: String) throws {
        let file = try PictureFile(Self.file(name), name.hasSuffix(".png") ? .png : .jpeg)
        let flag = CancelFlag()
        var count = 0
        let error = #expect(throws: CaptureError.self) {
            try file.decode(isStrict: true, until: flag) { _, row in
                count += 1
                if row == 3 { flag.set() }
            }
        }
        #expect(count == 4 && error?.code == .temporary)
    }

    @Test func `A progressive file that is canceled ends before its first row`() throws {
        let flag = CancelFlag()
        flag.set()
        let file = try PictureFile(Self.file("progressive.jpg"), .jpeg)
        #expect(throws: CaptureError.self) {
            try file.decode(isStrict: true, until: flag) { _, _ in Issue.record("a row was decoded") }
        }
    }

    @Test func `A picture file states the memory that decoding takes beside its rows`() throws {
        #expect(try PictureFile(Self.file("plain.jpg"), .jpeg).workBytes == 0)
        #expect(try PictureFile(Self.file("plain.png"), .png).workBytes == 0)
        #expect(try PictureFile(Self.file("interlaced.png"), .png).workBytes == 32 * 32 * 4)
        // Two bytes for each coefficient of three components, of which two have a quarter of the size.
        #expect(try PictureFile(Self.file("progressive.jpg"), .jpeg).workBytes >= 32 * 32 * 3)
    }

    @Test(arguments: UInt64(0)..<4) func `A picture file with random changes is decoded or refused`(seed: UInt64) throws
    {
        var random = SplitMix(seed)
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path()).sorted()
        for name in names {
            let bytes = try Self.file(name)
            for _ in 0..<20 { _ = Self.refusal(bytes.mutated(&random), name.hasSuffix(".png") ? .png : .jpeg) }
        }
    }
}
