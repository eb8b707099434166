// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import StillKit
import Testing

@Suite("JPEG frames of cameras", .timeLimit(.minutes(5)))
struct JPEGPassThroughTests {
    @Test("Every byte of the scan and of the other segments is kept, and our tags come first")
    func keeping() async throws {
        let camera = try await JPEGFile.made()
        #expect(camera.scan.indices.contains { $0 > 0 && camera.scan[$0 - 1] == 0xFF && camera.scan[$0] == 0 })
        let still = try JPEGFile(JPEGFile.metadata.embedded(in: camera.bytes, .jpeg))
        #expect(still.scan == camera.scan)
        #expect(still.segments.first?.marker == 0xE1)
        #expect(still.segments.dropFirst().map(\.marker) == camera.segments.map(\.marker))
        #expect(still.segments.dropFirst().map(\.content) == camera.segments.map(\.content))
    }

    @Test("A JPEG without Huffman tables gets the ones that decode to the same picture")
    func huffmanTables() async throws {
        let camera = try await JPEGFile.made()
        let bare = camera.withoutHuffmanTables()
        #expect(camera.hasHuffmanTables && !bare.hasHuffmanTables)
        let bytes = try JPEGFile.metadata.embedded(in: bare.bytes, .jpeg)
        let still = try JPEGFile(bytes)
        #expect(still.hasHuffmanTables && still.scan == camera.scan)
        try await expectSamePicture(bytes, as: camera.bytes)
    }

    @Test("A JPEG without Huffman tables can be decoded for other formats")
    func decodingWithoutTables() async throws {
        let camera = try await JPEGFile.made()
        let encoder = StillEncoder(format: .png, quality: 90, orientation: .upright)
        defer { encoder.close() }
        let caps = try Caps("image/jpeg,width=48,height=32,framerate=0/1")
        let buffer = try Buffer(camera.withoutHuffmanTables().bytes, presentationTime: .zero)
        let still = try await encoder.encode(Sample(buffer, caps: caps))
        let wanted = try await RGBPicture(decoding: camera.bytes, .jpeg)
        #expect(try await RGBPicture(decoding: still.bytes, .png) == wanted)
    }

    @Test(
        "Bytes after the end of the picture are removed",
        arguments: [
            [0], [0xFF], [0xFF, 0xD9], [0xFF, 0xD8, 0xFF], [UInt8](repeating: 0, count: 5000), Array("text".utf8),
        ])
    func trailing(garbage: [UInt8]) async throws {
        let camera = try await JPEGFile.made()
        let still = try JPEGFile.metadata.embedded(in: camera.bytes + garbage, .jpeg)
        #expect(try still == JPEGFile.metadata.embedded(in: camera.bytes, .jpeg))
        #expect(still.suffix(2) == [0xFF, 0xD9])
    }

    @Test("Our tags replace the camera's, and other blocks of the same marker stay")
    func tagsOfTheCamera() async throws {
        var camera = try await JPEGFile.made()
        let xmp: (marker: UInt8, content: [UInt8]) = (0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
        camera.segments.insert((0xE1, Array("Exif\0\0MM".utf8)), at: 1)
        camera.segments.insert(xmp, at: 2)
        camera.segments.append((0xE1, Array("Exif\0\0".utf8)))
        camera.segments.append((0xE1, []))
        let still = try JPEGFile(JPEGFile.metadata.embedded(in: camera.bytes, .jpeg))
        #expect(still.exifCount == 1)
        #expect(still.segments.first?.content.starts(with: Array("Exif\0\0II".utf8)) == true)
        #expect(still.segments.count { $0.marker == 0xE1 } == 3)
        #expect(still.segments.contains { $0.marker == xmp.marker && $0.content == xmp.content })
        #expect(still.scan == camera.scan)
    }

    @Test("Fill bytes before markers are accepted")
    func fillBytes() async throws {
        let camera = try await JPEGFile.made()
        var bytes = camera.bytes
        for place in camera.places.reversed() { bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF], at: place) }
        #expect(try JPEGFile.metadata.embedded(in: bytes, .jpeg) == JPEGFile.metadata.embedded(in: camera.bytes, .jpeg))
    }

    @Test(
        "Progressive scans, restart markers, and blocks between scans that look like the end are accepted",
        .enabled(if: StillTool.has("jpegtran"), StillTool.advice),
        arguments: ["-progressive", "-restart 1", "-arithmetic", "-grayscale"])
    func variants(option: String) async throws {
        let folder = try TemporaryFolder()
        let (from, to) = (folder.path + "/from.jpg", folder.path + "/to.jpg")
        try await Data(JPEGFile.made().bytes).write(to: URL(filePath: from))
        let made = try await StillTool.run("sh", ["-c", "jpegtran \(option) \(from) > \(to)"])
        try #require(made.status == 0, "\(made.text)")
        var camera = try JPEGFile(Array(Data(contentsOf: URL(filePath: to))))
        if option == "-progressive" {
            // The second scan, after the header and data of the first one.
            let second = try #require(
                camera.scan.indices.dropFirst(10).first { camera.scan[$0...].starts(with: [0xFF, 0xDA]) })
            camera.scan.insert(contentsOf: [0xFF, 0xFE, 0, 6, 0xFF, 0xD9, 0xFF, 0xD8], at: second)
        }
        let bytes = try JPEGFile.metadata.embedded(in: camera.bytes + [0xFF, 0xD9, 1, 2], .jpeg)
        #expect(try JPEGFile(bytes).scan == camera.scan)
        guard option != "-arithmetic" else { return }
        try await expectSamePicture(bytes, as: camera.bytes)
    }

    @Test("A JPEG that is truncated by the start of another picture is refused")
    func twoPictures() async throws {
        let camera = try await JPEGFile.made()
        let cut = camera.bytes.dropLast(200) + camera.bytes
        #expect(throws: CaptureError.self) { try JPEGFile.metadata.embedded(in: Array(cut), .jpeg) }
    }

    @Test(
        "jpeginfo and djpeg accept our JPEG as complete",
        .enabled(if: StillTool.has("jpeginfo", "djpeg"), StillTool.advice))
    func tools() async throws {
        let camera = try await JPEGFile.made()
        for file in [camera, camera.withoutHuffmanTables()] {
            let still = try JPEGFile.metadata.embedded(in: file.bytes + [0, 0, 0], .jpeg)
            let info = try await StillTool.judge(still, "a.jpg", "jpeginfo", "-c")
            #expect(info.status == 0 && info.text.contains("OK") && info.text.contains("Exif"), "\(info.text)")
            #expect(try await StillTool.judge(still, "a.jpg", "djpeg", "-fast").status == 0)
        }
    }

    private func expectSamePicture(_ bytes: [UInt8], as others: [UInt8]) async throws {
        let wanted = try await RGBPicture(decoding: others, .jpeg)
        #expect(try await RGBPicture(decoding: bytes, .jpeg) == wanted)
    }
}
