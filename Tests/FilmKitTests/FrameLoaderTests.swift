// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import StillKit
import Testing

@testable import FilmKit

@Suite("The frames of a film", .timeLimit(.minutes(5)))
struct FrameLoaderTests {
    /// The pictures of all kinds that occur in files.
    private static let corpus: [String] = {
        let folder = "\(#filePath)".replacing("FilmKitTests/FrameLoaderTests.swift", with: "StillKitTests/Corpus/")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { folder + $0 }
    }()

    /// A picture on a film of a size.
    private static func frame(
        _ path: String, film: FrameSize? = nil, fills: Bool = false
    ) throws -> (FilmPlan.Frame, FrameSize) {
        let picture = try FilmPicture(path, named: DeviceFiles.name(of: path))
        let film = film ?? picture.size.ofFilm
        let geometry = FilmGeometry(of: picture.size, usual: picture.size, film: film, crop: nil, fills: fills)
        return (FilmPlan.Frame(picture: picture, geometry: geometry), film)
    }

    /// Loads a picture, and converts it to red, green and blue.
    private static func load(
        _ path: String, film: FrameSize? = nil, fills: Bool = false, gain: Double = 1
    ) async throws -> RGBPicture {
        let (frame, film) = try frame(path, film: film, fills: fills)
        let loader = try FrameLoader(film, Fraction(30, 1), stamp: nil)
        let buffer = try await loader.load(frame, gain: gain).stamped(at: .zero, duration: ClockTime(nanoseconds: 1))
        let sample = Sample(buffer, caps: loader.info.caps)
        // A film states its colors; the converter takes them from the caps.
        return try RGBPicture(await sample.through("videoconvert ! video/x-raw,format=RGB,colorimetry=1:1:7:1"))
    }

    private static func mean(_ pixels: [RGBPicture.Pixel]) -> SIMD3<Double> {
        var sum = SIMD3<Double>()
        for pixel in pixels { sum += SIMD3<Double>(pixel) }
        return sum / Double(max(1, pixels.count))
    }

    @Test("Each kind of picture keeps its colors", arguments: corpus)
    func colors(path: String) async throws {
        let bytes = try RegularFile.read(path, most: 1 << 24)
        let head = try #require(PictureHead(bytes))
        guard let file = try? PictureFile(bytes, head.format) else {
            // Arithmetic coding.
            await #expect(throws: CaptureError.self) { try await Self.load(path) }
            return
        }
        var pixels: [RGBPicture.Pixel] = []
        do {
            try file.decode(isStrict: true, until: CancelFlag()) { row, _ in
                for pixel in row {
                    let alpha = Double(pixel.w) / 255
                    pixels.append(.init(SIMD3<Double>(Double(pixel.x), Double(pixel.y), Double(pixel.z)) * alpha))
                }
            }
        } catch {
            await #expect(throws: CaptureError.self) { try await Self.load(path) }
            return
        }
        let picture = try await Self.load(path)
        #expect(picture.width.isMultiple(of: 2) && picture.height.isMultiple(of: 2))
        let (expected, found) = (Self.mean(pixels), Self.mean(picture.pixels))
        for index in 0..<3 { #expect(abs(expected[index] - found[index]) < 6, "\(path): \(expected) \(found)") }
    }

    @Test(arguments: Orientation.allCases, [FrameSize(width: 64, height: 48), FrameSize(width: 32, height: 32)])
    func `Pictures are turned upright, at their size and scaled`(orientation: Orientation, size: FrameSize) async throws
    {
        let made = try MadePictures()
        let upright = RGBPicture(width: 64, height: 48) { x, y in
            x < 32 ? (y < 24 ? [200, 30, 30] : [30, 30, 200]) : (y < 24 ? [30, 200, 30] : [220, 220, 220])
        }
        // The camera stores the picture that is upright after the turn.
        let inverse = [1, 2, 3, 4, 5, 8, 7, 6][orientation.rawValue - 1]
        let stored = upright.shown(byExif: inverse)
        let jpeg = try await stored.sample().through(
            "videoconvert ! video/x-raw,format=Y444,colorimetry=1:4:7:1 ! jpegenc quality=95")
        try made.add("a.jpg", try #require(jpeg.buffer).bytes(), at: 0, orientation: orientation)
        let shown = try await Self.load(made.path + "/a.jpg", film: size, fills: true)
        for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)] {
            let expected = upright[Int(x * 64), Int(y * 48)]
            let found = shown[Int(x * Double(size.width)), Int(y * Double(size.height))]
            #expect(found.distance(to: expected) < 16, "\(orientation) \(x) \(y): \(found) \(expected)")
        }
    }

    @Test(arguments: ["I420", "Y42B", "Y444", "GRAY8"])
    func `Black, gray and white keep their levels, and a picture of another shape has black bars`(
        format: String
    ) async throws {
        for level in [0, 128, 255] as [UInt8] {
            let made = try MadePictures()
            let frame = RGBPicture(width: 64, height: 48) { _, _ in [level, level, level] }
            let caps = "video/x-raw,format=\(format)" + (format == "GRAY8" ? "" : ",colorimetry=1:4:7:1")
            let jpeg = try await frame.sample().through("videoconvert ! \(caps) ! jpegenc quality=100")
            try made.add("a.jpg", try #require(jpeg.buffer).bytes())
            let same = try await Self.load(made.path + "/a.jpg")
            #expect(same[32, 24].distance(to: [level, level, level]) <= 3, "\(format) \(level): \(same[32, 24])")
            let wide = try await Self.load(made.path + "/a.jpg", film: FrameSize(width: 128, height: 48))
            #expect(wide[64, 24].distance(to: [level, level, level]) <= 3 && wide[2, 2].max() < 6)
        }
    }

    @Test func `A large picture is decoded at a fraction, and shows the same`() async throws {
        let made = try MadePictures()
        let frame = RGBPicture(width: 640, height: 480) { x, y in x < 320 ? [200, 30, 30] : [30, 30, UInt8(y / 4)] }
        let jpeg = try await frame.sample().through(
            "videoconvert ! video/x-raw,format=I420,colorimetry=1:4:7:1 ! jpegenc quality=95")
        try made.add("a.jpg", try #require(jpeg.buffer).bytes())
        let small = try await Self.load(made.path + "/a.jpg", film: FrameSize(width: 80, height: 60))
        #expect(small[20, 30].distance(to: [200, 30, 30]) < 12 && small[60, 30].distance(to: [30, 30, 60]) < 12)
    }

    @Test func `A gain makes a picture brighter or darker`() async throws {
        let made = try MadePictures()
        let frame = RGBPicture(width: 64, height: 48) { _, _ in [100, 80, 60] }
        let jpeg = try await frame.sample().through(
            "videoconvert ! video/x-raw,format=Y444,colorimetry=1:4:7:1 ! jpegenc quality=95")
        try made.add("a.jpg", try #require(jpeg.buffer).bytes())
        let bright = try await Self.load(made.path + "/a.jpg", gain: 1.5)
        #expect(bright[30, 20].distance(to: [150, 120, 90]) <= 6, "\(bright[30, 20])")
        let dark = try await Self.load(made.path + "/a.jpg", gain: 0.5)
        #expect(dark[30, 20].distance(to: [50, 40, 30]) <= 4, "\(dark[30, 20])")
    }

    @Test func `A picture that is cut off anywhere, or has changed, is an error of that picture`() async throws {
        let made = try await MadePictures(1)
        let bytes = try made.bytes("frame0.jpg")
        let (frame, film) = try Self.frame(made.path + "/frame0.jpg")
        let loader = try FrameLoader(film, Fraction(30, 1), stamp: nil)
        for count in stride(from: 0, to: bytes.count - 2, by: 37) {
            try made.write("frame0.jpg", Array(bytes.prefix(count)))
            let error = await #expect(throws: CaptureError.self) { try await loader.load(frame, gain: 1) }
            #expect(error?.isOfPicture == true, "\(count): \(String(describing: error))")
        }
        try made.write("frame0.jpg", try await MadePictures.frames(1, width: 32, height: 32)[0])
        let error = await #expect(throws: CaptureError.self) { try await loader.load(frame, gain: 1) }
        #expect(error?.message == "was changed meanwhile")
    }

    @Test func `Hostile pictures are frames or errors, never a crash`() async throws {
        let made = try MadePictures()
        var generator = SplitMix(7)
        for path in Self.corpus {
            let bytes = try RegularFile.read(path, most: 1 << 24)
            for _ in 0..<20 {
                try made.write("a.jpg", bytes.mutated(&generator))
                guard let (frame, film) = try? Self.frame(made.path + "/a.jpg", film: FrameSize(width: 64, height: 48))
                else { continue }
                let loader = try FrameLoader(film, Fraction(30, 1), stamp: nil)
                do throws(CaptureError) {
                    let buffer = try await loader.load(frame, gain: 1)
                    #expect(buffer.count >= 64 * 48 * 3 / 2)
                } catch {
                    #expect(error.isOfPicture, "\(error)")
                }
                _ = try? await FrameLoader.level(of: frame.picture)
            }
        }
    }

    @Test func `Samples have the levels of video, whatever the gain`() throws {
        let info = try VideoInfo(format: "I420", width: 256, height: 2)
        for gain in [0.6, 1, 1.6] {
            let pool = try FramePool(info)
            let buffer = try pool.makeFrame { frame in
                for plane in 0..<3 {
                    frame.withPlane(plane) { bytes, layout in
                        bytes.withUnsafeMutableBytes { bytes in
                            for place in bytes.indices { bytes[place] = UInt8(place % layout.stride % 256) }
                        }
                    }
                }
                FilmLevels(gain: gain).apply(to: &frame)
            }
            try buffer.withVideoFrame(info) { frame in
                frame.withPlane(0) { bytes, _ in
                    for level in 0..<256 {
                        let expected = min(219, 219.0 / 255 * Double(level) * gain) + 16
                        let found = bytes.unsafeLoad(fromByteOffset: level, as: UInt8.self)
                        #expect(abs(Double(found) - expected) <= 0.6, "\(gain) \(level)")
                    }
                }
                frame.withPlane(1) { bytes, _ in
                    let found = (0..<128).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
                    #expect(found.allSatisfy { (16...128).contains($0) })
                }
            }
        }
    }
}
