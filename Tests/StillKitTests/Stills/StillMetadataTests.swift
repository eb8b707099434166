// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing

@Suite(
    "Metadata of stills", .enabled(if: StillTool.has("exiftool"), StillTool.advice), .timeLimit(.minutes(5)))
struct StillMetadataTests {
    static let formats = [StillFormat.jpeg, .png, .webp]

    /// 2024-02-29 12:34:56.789, two hours and a half west of Greenwich.
    private static let moment = WallTime(seconds: 1_709_219_096, nanoseconds: 789_654_321, utcOffset: -9000)

    @Test("exiftool reads the tags as written, and reports no warning", arguments: formats)
    func tags(format: StillFormat) async throws {
        var metadata = StillMetadata(captured: Self.moment, width: 40, height: 24)
        metadata.make = "Example & Sons"
        metadata.model = "Camera 3000"
        metadata.orientation = .turnedRight
        metadata.exposureTime = 1.0 / 30
        metadata.sensitivity = 400
        let read = try await StillTool.tags(of: picture(format, metadata), "a." + format.fileExtension)
        let wanted = [
            "Make": "Example & Sons", "Model": "Camera 3000", "Software": "gst-capture", "Orientation": "6",
            "ModifyDate": "2024:02:29 12:34:56", "DateTimeOriginal": "2024:02:29 12:34:56",
            "CreateDate": "2024:02:29 12:34:56", "SubSecTimeOriginal": "789", "OffsetTimeOriginal": "-02:30",
            "OffsetTime": "-02:30", "ExifImageWidth": "40", "ExifImageHeight": "24", "ISO": "400",
            "ImageWidth": "40", "ImageHeight": "24",
        ]
        for (tag, value) in wanted { #expect(read[tag] == value, "\(tag)") }
        let exposureTime: Double = try #require(Double(read["ExposureTime"] ?? ""))
        #expect(abs(exposureTime - 1.0 / 30) < 0.000_001)
        #expect(read["Warning"] == nil, "\(read["Warning"] ?? "")")
        #expect(read["Error"] == nil)
        #expect(read["Validate"].map { $0.hasPrefix("0 0") || $0 == "OK" } == true, "\(read["Validate"] ?? "")")
    }

    @Test("Unknown values have no EXIF tag", arguments: formats)
    func unknown(format: StillFormat) async throws {
        let metadata = StillMetadata(captured: Self.moment, width: 40, height: 24)
        let read = try await StillTool.tags(of: picture(format, metadata), "a." + format.fileExtension)
        for tag in ["Make", "Model", "ExposureTime", "ISO"] { #expect(read[tag] == nil, "\(tag)") }
        #expect(read["Orientation"] == "1")
    }

    @Test("Each orientation is read as its number")
    func orientation() async throws {
        let bare = try await bytes(.jpeg)
        let pictures = try Orientation.allCases.map { orientation in
            var metadata = StillMetadata(captured: Self.moment, width: 40, height: 24)
            metadata.orientation = orientation
            return try metadata.embedded(in: bare, .jpeg)
        }
        let read = try await StillTool.tags(of: pictures, "a.jpg")
        #expect(read.map { $0["Orientation"] } == Orientation.allCases.map { "\($0.rawValue)" })
    }

    @Test("Exposure and sensitivity are written as the nearest possible value, and invalid values are omitted")
    func numbers() async throws {
        let cases: [(exposure: Double, sensitivity: Double, exposureRead: Double?, sensitivityRead: Int?)] = [
            (0.000_123, 99.999_9, 0.000_123, 100), (0.01, 100.4, 0.01, 100), (3999.5, 65_534, 3999.5, 65_534),
            (-1, 0, nil, nil), (.nan, .nan, nil, nil), (.infinity, .infinity, nil, nil), (0, -5, nil, nil),
            (1e-9, 1e9, nil, nil), (4001, 0.4, nil, nil),
        ]
        let bare = try await bytes(.jpeg)
        let pictures = try cases.map { exposure, sensitivity, _, _ in
            var metadata = StillMetadata(captured: Self.moment, width: 40, height: 24)
            (metadata.exposureTime, metadata.sensitivity) = (exposure, sensitivity)
            return try metadata.embedded(in: bare, .jpeg)
        }
        for (wanted, read) in zip(cases, try await StillTool.tags(of: pictures, "a.jpg")) {
            #expect(read["ExposureTime"].flatMap { Double($0) } == wanted.exposureRead)
            #expect(read["ISO"].flatMap { Int($0) } == wanted.sensitivityRead)
            #expect(read["Warning"] == nil)
        }
    }

    @Test("Any device name is written in printable ASCII, and all tags are valid", arguments: formats)
    func names(format: StillFormat) async throws {
        let names: [(written: String, read: String?)] = [
            ("Caméra ☕️", "Camra"), ("a\0b", "ab"), ("\n\t\u{1B}[1m", "[1m"), ("", nil), ("☕️", nil), ("abc", "abc"),
            ("abcd", "abcd"), (String(repeating: "x", count: 70_000), String(repeating: "x", count: 255)),
        ]
        let bare = try await bytes(format)
        let pictures = try names.map { name in
            var metadata = StillMetadata(captured: Self.moment, width: 40, height: 24)
            (metadata.make, metadata.model) = (name.written, name.written)
            return try metadata.embedded(in: bare, format)
        }
        for (name, read) in zip(names, try await StillTool.tags(of: pictures, "a." + format.fileExtension)) {
            #expect(read["Make"]?.trimmingCharacters(in: .whitespaces) == name.read)
            #expect(read["Model"]?.trimmingCharacters(in: .whitespaces) == name.read)
            #expect(read["DateTimeOriginal"] == "2024:02:29 12:34:56")
            #expect(read["Warning"] == nil)
        }
    }

    @Test(
        "jpeginfo and djpeg accept the JPEG as complete",
        .enabled(if: StillTool.has("jpeginfo", "djpeg"), StillTool.advice))
    func jpegTools() async throws {
        let bytes = try await picture(.jpeg, StillMetadata(captured: Self.moment, width: 40, height: 24))
        let info = try await StillTool.judge(bytes, "a.jpg", "jpeginfo", "-c")
        #expect(info.status == 0 && info.text.contains("OK") && !info.text.contains("WARNING"), "\(info.text)")
        let decoded = try await StillTool.judge(bytes, "a.jpg", "djpeg", "-ppm")
        #expect(decoded.status == 0)
        #expect(decoded.output.starts(with: Data("P6\n40 24\n255\n".utf8)), "\(decoded.text.prefix(80))")
    }

    @Test(
        "webpinfo and dwebp accept the WebP as complete",
        .enabled(if: StillTool.has("webpinfo", "dwebp"), StillTool.advice))
    func webPTools() async throws {
        let bytes = try await picture(.webp, StillMetadata(captured: Self.moment, width: 40, height: 24))
        let info = try await StillTool.judge(bytes, "a.webp", "webpinfo")
        #expect(info.status == 0 && info.text.contains("No error detected"), "\(info.text)")
        #expect(info.text.contains("Chunk EXIF"), "\(info.text)")
        #expect(try await StillTool.judge(bytes, "a.webp", "dwebp").status == 0)
    }

    @Test("Embedding the tags does not change the pixels", arguments: formats)
    func pixels(format: StillFormat) async throws {
        let bare = try await bytes(format)
        let tagged = try StillMetadata(captured: Self.moment, width: 40, height: 24).embedded(in: bare, format)
        #expect(tagged.count > bare.count)
        let before = try await RGBPicture(decoding: bare, format)
        #expect(try await RGBPicture(decoding: tagged, format) == before)
    }

    @Test("The chunks of a PNG have correct checksums")
    func checksums() async throws {
        let bytes = try await picture(.png, StillMetadata(captured: Self.moment, width: 40, height: 24))
        var (position, names) = (8, [String]())
        while position < bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let body = Array(bytes[(position + 4)..<(position + 8 + length)])
            let checksum = bytes[(position + 8 + length)..<(position + 12 + length)].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
            #expect(checksum == Self.slowChecksum(body))
            names.append(String(decoding: body.prefix(4), as: UTF8.self))
            position += 12 + length
        }
        #expect(names.prefix(2) == ["IHDR", "eXIf"])
        #expect(names.last == "IEND")
    }

    @Test("A WebP with an extended header keeps it")
    func extendedWebP() async throws {
        let once = try await picture(.webp, StillMetadata(captured: Self.moment, width: 40, height: 24))
        let twice = try StillMetadata(captured: Self.moment, width: 40, height: 24).embedded(in: once, .webp)
        let text = String(decoding: twice, as: UTF8.self)
        #expect(text.components(separatedBy: "VP8X").count == 2)
        #expect(try await RGBPicture(decoding: twice, .webp).width == 40)
    }

    @Test("Tags for bytes of another format are refused", arguments: formats)
    func refusing(format: StillFormat) async throws {
        let metadata = StillMetadata(captured: Self.moment, width: 40, height: 24)
        for other in Self.formats where other != format {
            let bytes = try await bytes(other)
            #expect(throws: CaptureError.self) { try metadata.embedded(in: bytes, format) }
        }
        for bytes in [[], [0], Array("RIFF".utf8), [0x89, 0x50, 0x4E, 0x47], [UInt8](repeating: 0xFF, count: 99)] {
            #expect(throws: CaptureError.self) { try metadata.embedded(in: bytes, format) }
        }
    }

    @Test("Tags for damaged bytes never cause a trap", arguments: formats)
    func mutations(format: StillFormat) async throws {
        let bytes = try await bytes(format)
        let metadata = StillMetadata(captured: Self.moment, width: .max, height: .min)
        for length in 0..<bytes.count { _ = try? metadata.embedded(in: Array(bytes[..<length]), format) }
        var generator = SplitMix(7)
        for _ in 0..<500 { _ = try? metadata.embedded(in: bytes.mutated(&generator), format) }
    }

    private func picture(_ format: StillFormat, _ metadata: StillMetadata) async throws -> [UInt8] {
        try await metadata.embedded(in: bytes(format), format)
    }

    private func bytes(_ format: StillFormat) async throws -> [UInt8] {
        let encoder = StillEncoder(format: format, quality: 90, orientation: .upright)
        defer { encoder.close() }
        return try await encoder.encode(RGBPicture.distinct(40, 24).sample()).bytes
    }

    /// The CRC of ISO 3309, computed bit by bit.
    private static func slowChecksum(_ bytes: [UInt8]) -> UInt32 {
        var rest: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            for bit in 0..<8 {
                let isOne = (rest ^ UInt32(byte >> bit)) & 1 == 1
                rest = rest >> 1 ^ (isOne ? 0xEDB8_8320 : 0)
            }
        }
        return ~rest
    }
}
