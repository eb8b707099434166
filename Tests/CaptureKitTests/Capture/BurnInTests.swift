// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureTestSupport
import OverlayCompositor
import OverlayRaster
import PipelineKit
import ScheduleKit
import StillKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite(.timeLimit(.minutes(5))) struct `Layers that are burned in` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("square.svg", ##"<svg viewBox="0 0 8 8"><rect width="8" height="8" fill="#e01010"/></svg>"##)
    }

    private static let ground: RGBPicture.Pixel = [30, 60, 200]
    private static let red: RGBPicture.Pixel = [0xE0, 0x10, 0x10]

    /// A square of 16 pixels in the top left corner of a frame of 96 x 64, or of 64 x 96.
    private var square: Layer {
        var layer = Layer("square", .image(path: folder.path + "/square.svg"))
        layer.placement.position = UnitPoint(0, 0)
        layer.placement.margin = .pixels(0)
        layer.placement.size = 0.25
        return layer
    }

    private func still(
        _ sample: Sample, _ format: StillFormat, _ orientation: Orientation = .upright
    ) async throws -> (bytes: [UInt8], info: VideoInfo?) {
        let configuration = configuration(format, orientation)
        let burnIn = try #require(BurnIn(configuration, CairoRasterizer()))
        let encoder = StillEncoder(format: format, quality: 95, orientation: .upright)
        defer {
            burnIn.close()
            encoder.close()
        }
        let facts = BurnIn.Facts(time: .now(), sequence: 1, camera: "scene", offset: .zero)
        let encoded = try await encoder.encode(await burnIn.draw(on: sample, facts))
        #expect(burnIn.drainNotices() == [])
        #expect(encoded.orientation == .upright)
        return (encoded.bytes, encoded.info)
    }

    private func configuration(_ format: StillFormat, _ orientation: Orientation) -> CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .caller)
        configuration.still = format
        configuration.orientation = orientation
        configuration.burnIn = [square]
        return configuration
    }

    private func picture(_ still: (bytes: [UInt8], info: VideoInfo?), _ format: StillFormat) async throws -> RGBPicture
    {
        guard format == .raw else { return try await RGBPicture(decoding: still.bytes, format) }
        return try RGBPicture(still.bytes, #require(still.info))
    }

    private func expectSquare(in picture: RGBPicture, tolerance: Int = 24, _ what: String) {
        for (x, y) in [(2, 2), (13, 2), (2, 13), (13, 13)] {
            #expect(isNear(picture[x, y], Self.red, tolerance), "\(what) at \(x), \(y): \(picture[x, y])")
        }
        for (x, y) in [(19, 2), (2, 19), (19, 19), (picture.width - 3, 2), (2, picture.height - 3)] {
            #expect(isNear(picture[x, y], Self.ground, tolerance), "\(what) at \(x), \(y): \(picture[x, y])")
        }
    }

    private func isNear(_ pixel: RGBPicture.Pixel, _ wanted: RGBPicture.Pixel, _ tolerance: Int) -> Bool {
        pixel.distance(to: wanted) <= tolerance
    }

    @Test(arguments: StillFormat.allCases, Orientation.allCases)
    func `Layers have their place in the upright picture of every format and orientation`(
        format: StillFormat, orientation: Orientation
    ) async throws {
        let ground = RGBPicture(width: 96, height: 64) { _, _ in Self.ground }
        let (width, height) = orientation.swapsAxes ? (64, 96) : (96, 64)
        let raw = try ground.sample()
        let jpeg = try await Sample.made(
            by: "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xff1e3cc8 "
                + "! video/x-raw,format=I420,width=96,height=64,colorimetry=1:4:0:0 ! jpegenc quality=98")
        for (sample, name) in [(raw, "raw"), (jpeg, "MJPEG")] where format != .raw || name == "raw" {
            let picture = try await picture(still(sample, format, orientation), format)
            #expect((picture.width, picture.height) == (width, height))
            expectSquare(in: picture, "\(format) from \(name)")
        }
    }

    @Test(
        arguments: [
            "YUY2", "UYVY", "YVYU", "NV12", "NV21", "NV16", "I420", "YV12", "Y42B", "Y41B", "Y444", "RGB", "BGR",
            "BGRx",
            "RGBA", "NV61", "NV24", "P010_10LE", "RGB16",
        ], [Orientation.upright, .turnedRight])
    func `Layers can be drawn on every raw format of cameras, and the frame does not change`(
        format: String, orientation: Orientation
    ) async throws {
        let sample = try await Sample.made(
            by: "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xff1e3cc8 "
                + "! video/x-raw,width=96,height=64 ! videoconvert ! video/x-raw,format=\(format)")
        let before = try sample.buffer?.bytes()
        let picture = try await picture(still(sample, .png, orientation), .png)
        expectSquare(in: picture, "\(format) \(orientation)")
        // Another consumer may hold the frame.
        #expect(try sample.buffer?.bytes() == before)
    }

    @Test func `Pixels beside a layer do not change`() async throws {
        let source = RGBPicture.distinct(80, 64)
        let picture = try await picture(still(source.sample(), .png), .png)
        for y in 0..<64 {
            for x in 0..<80 where x > 20 || y > 20 { #expect(picture[x, y] == source[x, y]) }
        }
    }

    @Test(arguments: ["I420", "YUY2"])
    func `Layers have full levels in a JPEG of video levels`(format: String) async throws {
        let frame = try await Sample.made(
            by: "videotestsrc num-buffers=1 pattern=white "
                + "! video/x-raw,format=\(format),width=96,height=64,colorimetry=2:4:5:1")
        let picture = try await picture(still(frame, .jpeg), .jpeg)
        #expect(isNear(picture[8, 8], Self.red, 24))
        #expect(isNear(picture[60, 40], [255, 255, 255], 2))
    }

    @Test func `A camera's JPEG is stored byte for byte if no layers are burned in`() async throws {
        let camera = try await JPEGFile.made()
        let sample = Sample(try Buffer(camera.bytes, presentationTime: .zero), caps: try Caps("image/jpeg"))
        var configuration = configuration(.jpeg, .turnedRight)
        configuration.overlay = configuration.burnIn
        configuration.burnIn = []
        let writer = StillWriter(configuration, CairoRasterizer())
        let still = try JPEGFile(#require(try await write(sample, writer).bytes))
        #expect(still.scan == camera.scan)
        #expect(still.segments.dropFirst().map(\.content) == camera.segments.map(\.content))
        configuration.burnIn = [square]
        let drawing = StillWriter(configuration, CairoRasterizer())
        let drawn = try await write(sample, drawing)
        #expect(try JPEGFile(#require(drawn.bytes)).scan != camera.scan)
        #expect((drawn.width, drawn.height) == (32, 48))
        await writer.close()
        await drawing.close()
    }

    @Test func `Texts that are burned in show the values of their still`() async throws {
        var configuration = configuration(.png, .upright)
        configuration.burnIn = [Layer("text", .text(TextTemplate("{n}")), Placement(size: 0.5))]
        let writer = StillWriter(configuration, CairoRasterizer())
        let sample = try RGBPicture(width: 96, height: 64) { _, _ in Self.ground }.sample()
        let (one, two) = (try await written(sample, writer), try await written(sample, writer))
        let first = try await RGBPicture(decoding: #require(one.still?.bytes), .png)
        let second = try await RGBPicture(decoding: #require(two.still?.bytes), .png)
        #expect(first != second)
        #expect(first.pixels.contains { isNear($0, [255, 255, 255], 8) })
        #expect(one.notices + two.notices == [])
        await writer.close()
    }

    @Test func `A text that names the camera is the same in stills as on the preview`() async throws {
        var webcam = Camera(id: "usb-webcam", name: "Webcam 7", kind: .v4l2)
        webcam.model = "W"
        let sample = try RGBPicture(width: 96, height: 64) { _, _ in Self.ground }.sample()
        for camera in [webcam, .scene] {
            var configuration = configuration(.png, .upright)
            configuration.source = .camera(camera)
            var pictures: [RGBPicture] = []
            for text in ["{camera}", try #require(PreviewValues(camera: configuration.cameraName).texts["camera"])] {
                configuration.burnIn = [Layer("text", .text(TextTemplate(text)), Placement(size: 0.2))]
                let writer = StillWriter(configuration, CairoRasterizer())
                let bytes = try #require(try await write(sample, writer).bytes)
                pictures.append(try await RGBPicture(decoding: bytes, .png))
                await writer.close()
            }
            #expect(pictures.first == pictures.last, "\(camera.name)")
        }
    }

    @Test func `A layer that cannot be drawn costs no picture, and is reported once`() async throws {
        var configuration = configuration(.png, .upright)
        let lost = try folder.write("lost.svg", #"<svg viewBox="0 0 8 8"><path d="M0 0H8V8"/></svg>"#)
        var other = Layer("other", .image(path: lost))
        other.placement.position = .center
        configuration.burnIn = [other, square]
        let writer = StillWriter(configuration, CairoRasterizer())
        let sample = try RGBPicture(width: 96, height: 64) { _, _ in Self.ground }.sample()
        #expect(try await written(sample, writer).notices == [])
        try folder.remove("lost.svg")
        for count in [1, 0, 0] {
            let written = try await written(sample, writer)
            let picture = try await RGBPicture(decoding: #require(written.still?.bytes), .png)
            expectSquare(in: picture, "without the other")
            let notices = written.notices
            #expect(notices.count == count)
            let start = "pictures are stored without the layer other of burn-in: \(lost): "
            #expect(notices.allSatisfy { $0.description.hasPrefix(start) })
            #expect(notices.allSatisfy { $0.code == .layerNotDrawn && $0.subject == "other" })
        }
        await writer.close()
    }

    @Test func `A layer that takes too long to draw is left out for a minute after the attempt`() async throws {
        let rasterizer = SlowRasterizer()
        let burnIn = try #require(BurnIn(configuration(.png, .upright), rasterizer, now: { rasterizer.now }))
        defer { burnIn.close() }
        let sample = try RGBPicture(width: 96, height: 64) { _, _ in Self.ground }.sample()
        let facts = BurnIn.Facts(time: .now(), sequence: 1, camera: "scene", offset: .zero)
        for attempts in [1, 2] {
            for _ in 0..<2 {
                _ = try await burnIn.draw(on: sample, facts)
                #expect(rasterizer.attempts == attempts)
            }
            rasterizer.advance()
        }
        #expect(burnIn.drainNotices().count == 1)
    }

    @Test func `Without a rasterizer, stills have no layers, and a notice reports that`() async throws {
        let writer = StillWriter(configuration(.jpeg, .turnedRight))
        let sample = try RGBPicture(width: 96, height: 64) { _, _ in Self.ground }.sample()
        let written = try await written(sample, writer)
        let (still, notices) = (try #require(written.still), written.notices)
        #expect((still.width, still.height) == (64, 96))
        let start = "pictures are stored without the layers of burn-in: "
        #expect(notices.map(\.description) == [start + "gst-capture-raster, which draws layers, is missing"])
        #expect(notices.map(\.code) == [.layerNotDrawn])
        await writer.close()
    }

    private func write(_ sample: Sample, _ writer: StillWriter) async throws -> Still {
        try #require(try await written(sample, writer).still)
    }

    private func written(_ sample: Sample, _ writer: StillWriter) async throws -> WrittenStill {
        let now = PipelineClock.system.now
        return try await writer.write(
            Frame(sample: sample, time: now), slot: Slot(index: 0, due: now), burstIndex: 0, tolerance: .seconds(1),
            exposure: nil)
    }
}

/// Fails like a drawing that takes too long. Each attempt takes 61 s of its clock.
private final class SlowRasterizer: Rasterizer {
    private let clock = Mutex(ClockTime.zero)
    private let count = Mutex(0)

    var now: ClockTime { clock.withLock { $0 } }
    var attempts: Int { count.withLock { $0 } }

    func advance() { clock.withLock { $0 = $0 + .seconds(61) } }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        count.withLock { $0 += 1 }
        advance()
        throw OverlayError(.tooMuch, "takes longer than 5.0 seconds to draw")
    }
}
