// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import StillKit

@Suite("Pictures that are decoded into planes")
struct PlaneDecodingTests {
    private static let corpus: [String] = {
        let folder = "\(#filePath)".replacing("Decoding/PlaneDecodingTests.swift", with: "Corpus/")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasSuffix(".jpg") }.map { folder + $0 }
    }()

    /// The planes of a picture, between bytes that must stay as they are.
    private static func planes(_ file: PictureFile, isStrict: Bool = true) throws -> [[UInt8]] {
        let (across, down): (Int, Int) =
            switch file.planeFormat {
            case "I420": (2, 2)
            case "Y42B": (2, 1)
            case "Y41B": (4, 1)
            default: (1, 1)
            }
        let sizes = (0..<(file.planeFormat == "GRAY8" ? 1 : 3)).map { plane in
            plane == 0
                ? (file.width, file.height) : ((file.width + across - 1) / across, (file.height + down - 1) / down)
        }
        // Rows are longer than needed by 3 bytes, and there is one more row.
        let memory = sizes.map { width, height in
            UnsafeMutableBufferPointer<UInt8>.allocate(capacity: (width + 3) * (height + 1))
        }
        defer { for plane in memory { plane.deallocate() } }
        for plane in memory { plane.initialize(repeating: 0xA5) }
        let places = zip(memory, sizes).compactMap { plane, size in
            plane.baseAddress.map { (start: $0, stride: size.0 + 3) }
        }
        try file.decodePlanes(into: places, isStrict: isStrict, until: CancelFlag())
        return zip(memory, sizes).map { plane, size in
            let (width, height) = size
            for y in 0...height {
                let row = plane[y * (width + 3)..<(y + 1) * (width + 3)]
                #expect((y == height ? row[...] : row.dropFirst(width)).allSatisfy { $0 == 0xA5 })
            }
            return (0..<height).flatMap { y in Array(plane[y * (width + 3)..<y * (width + 3) + width]) }
        }
    }

    @Test("The luma of the planes is that of the pixels", arguments: corpus)
    func luma(path: String) throws {
        let bytes = try RegularFile.read(path, most: 1 << 24)
        guard let file = try? PictureFile(bytes, .jpeg), file.planeFormat != nil else { return }
        var expected: [Double] = []
        try file.decode(isStrict: true, until: CancelFlag()) { row, _ in
            for pixel in row {
                expected.append(Double(pixel.x) * 0.299 + Double(pixel.y) * 0.587 + Double(pixel.z) * 0.114)
            }
        }
        let luma = try Self.planes(file)[0]
        #expect(luma.count == expected.count)
        // Colors outside of red, green and blue are clipped in pixels.
        let difference = zip(luma, expected).reduce(0) { $0 + abs(Double($1.0) - $1.1) } / Double(max(1, luma.count))
        #expect(difference < 2, "\(path): \(difference)")
    }

    @Test func `All kinds of sampling are in the corpus`() {
        let formats = Self.corpus.compactMap {
            try? PictureFile(RegularFile.read($0, most: 1 << 24), .jpeg).planeFormat
        }
        #expect(Set(formats).isSuperset(of: ["I420", "Y42B", "Y444", "GRAY8"]))
    }

    @Test func `A canceled call ends, and a picture without planes is refused`() throws {
        let path = try #require(Self.corpus.first { $0.hasSuffix("/plain.jpg") })
        let file = try PictureFile(RegularFile.read(path, most: 1 << 24), .jpeg)
        let flag = CancelFlag()
        flag.set()
        var memory = [UInt8](repeating: 0, count: file.width * file.height * 2)
        let code = memory.withUnsafeMutableBufferPointer { memory -> CaptureError.Code? in
            guard let start = memory.baseAddress else { return nil }
            let planes: [PictureFile.Plane] = Array(repeating: (start, file.width), count: 3)
            do throws(CaptureError) {
                try file.decodePlanes(into: planes, isStrict: true, until: flag)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code == .temporary)
        #expect(throws: CaptureError.self) { try file.decodePlanes(into: [], isStrict: true, until: CancelFlag()) }
        let inks = try #require(Self.corpus.first { $0.hasSuffix("/cmyk-plain.jpg") })
        #expect(try PictureFile(RegularFile.read(inks, most: 1 << 24), .jpeg).planeFormat == nil)
    }

    @Test func `Hostile pictures are planes or errors`() throws {
        var generator = SplitMix(3)
        for path in Self.corpus {
            let bytes = try RegularFile.read(path, most: 1 << 24)
            for _ in 0..<100 {
                guard let file = try? PictureFile(bytes.mutated(&generator), .jpeg), file.planeFormat != nil,
                    file.width * file.height < 1 << 22
                else { continue }
                _ = try? Self.planes(file, isStrict: false)
            }
        }
    }
}
