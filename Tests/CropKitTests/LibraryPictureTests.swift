// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import SystemBase
import Testing

@testable import CropKit

@Suite(.timeLimit(.minutes(5))) struct `A picture of a library` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder.path + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func still(_ format: StillFormat, _ orientation: Orientation = .upright) async throws -> [UInt8] {
        let pixels = [SIMD4<UInt8>](repeating: SIMD4(90, 120, 30, 255), count: 40 * 30)
        let bytes = try await StillCoding.encode(
            StillPixels(width: 40, height: 30, pixels: pixels), format, quality: 90)
        var metadata = StillMetadata(captured: .now(), width: 40, height: 30)
        metadata.orientation = orientation
        return try metadata.embedded(in: bytes, format)
    }

    @Test(arguments: [StillFormat.jpeg, .png])
    func `A picture has the format of its bytes, and the size that a viewer shows`(format: StillFormat) async throws {
        let bytes = try await still(format, .turnedLeft)
        let picture = try LibraryPicture(path: write("picture.dat", bytes))
        #expect(picture.format == format && picture.bytes == bytes)
        #expect((picture.width, picture.height) == (30, 40))
    }

    @Test func `A file that is missing, damaged or not a picture is refused with its path`() async throws {
        let jpeg = try await still(.jpeg)
        func error(_ path: String) -> CaptureError? {
            #expect(throws: CaptureError.self, "\(path)") { try LibraryPicture(path: path) }
        }
        for (path, code) in [
            (folder.path + "/none.jpg", CaptureError.Code.noInput), (folder.path, .noInput), ("/dev/zero", .noInput),
            ("", .noInput), (try write("empty.jpg", []), .noInput),
            (try write("text.jpg", Array("hello".utf8)), .noInput),
            (try write("cut.jpg", Array(jpeg.dropLast(100))), .inputOutput),
            (try write("cut.png", Array(try await still(.png).prefix(20))), .inputOutput),
            (try write("huge.png", Self.hugePNG), .noInput),
        ] {
            let error = error(path)
            #expect(error?.code == code && error?.subject == path, "\(path): \(String(describing: error))")
        }
        #expect(mkfifo(folder.path + "/fifo.jpg", 0o600) == 0)
        #expect(error(folder.path + "/fifo.jpg")?.code == .noInput)
    }

    @Test func `A picture is checked to its last byte before it counts`() async throws {
        let png = try await still(.png)
        try await LibraryPicture.check(png)
        try await LibraryPicture.check(try await still(.jpeg))
        var wrong = png
        wrong[png.count - 20] ^= 1
        for damaged in [Array(png.dropLast(20)), Array(png.dropLast(5)), wrong] {
            let error = await #expect(throws: CaptureError.self) { try await LibraryPicture.check(damaged) }
            #expect(error?.code == .inputOutput)
        }
    }

    @Test func `A small file with more pixels than the machine decodes is refused before its pixels are`() async throws
    {
        // 118 million pixels, of which no row follows.
        let body = Array("IHDR".utf8) + [0, 0, 0x2A, 0xF8, 0, 0, 0x29, 0xFE, 8, 2, 0, 0, 0]
        let data = Array("IDAT".utf8)
        func chunk(_ body: [UInt8]) -> [UInt8] {
            let sum = CRC32.checksum(body)
            return [0, 0, 0, UInt8(body.count - 4)] + body
                + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
        }
        let file = Array(Self.hugePNG.prefix(8)) + chunk(body) + chunk(data) + chunk(Array("IEND".utf8))
        let error = await #expect(throws: CaptureError.self) { try await LibraryPicture.check(file) }
        #expect(error?.code == .noInput && error?.message.contains("MiB") == true)
    }

    /// A header that declares 100,000 × 100,000 pixels.
    private static let hugePNG: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0, 8, 2, 0, 0, 0, 0, 0, 0, 0]

    @Test(arguments: 0..<4) func `A picture with random changes is read or refused`(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        for sound in [try await still(.jpeg), try await still(.png)] {
            for index in 0..<40 {
                let path = try write("\(index).jpg", sound.mutated(&generator))
                if let picture = try? LibraryPicture(path: path) {
                    #expect(picture.width * picture.height <= StillCoding.mostPixels)
                }
            }
        }
    }

    @Test func `An album contains the pictures of its folder, sorted by name`() throws {
        for name in ["b.JPG", "a.png", "c.jpeg", ".hidden.jpg", "notes.txt", "d.webp"] { _ = try write(name, [1]) }
        try FileManager.default.createDirectory(atPath: folder.path + "/folder.jpg", withIntermediateDirectories: false)
        try folder.link("e.jpg", to: folder.path + "/a.png")
        try folder.link("lost.jpg", to: "nowhere")
        let expected = ["a.png", "b.JPG", "c.jpeg", "e.jpg"].map { folder.path + "/" + $0 }
        #expect(try LibraryPicture.album(folder.path) == expected)
        #expect(try LibraryPicture.album(folder.path + "/") == expected)
        #expect(LibraryPicture.isAlbum(folder.path) && !LibraryPicture.isAlbum(expected[0]))
    }

    @Test func `A folder without pictures, or a path that is not a folder, is refused as an album`() throws {
        _ = try write("notes.txt", [1])
        for path in [folder.path, folder.path + "/none", folder.path + "/notes.txt"] {
            #expect(throws: CaptureError.self) { try LibraryPicture.album(path) }
        }
    }
}
