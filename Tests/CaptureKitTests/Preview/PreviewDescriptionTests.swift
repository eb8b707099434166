// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CropKit
import FrameMeasures
import PipelineKit
import ScheduleKit
import StillKit
import Testing

@testable import CaptureKit

@Suite struct `The size of a preview` {
    private func size(_ caps: String, _ change: (inout PreviewRequest) -> Void = { _ in }) throws -> PreviewSize {
        let info = try #require(Caps("video/x-raw,format=I420,framerate=30/1," + caps).videoInfo)
        var request = PreviewRequest()
        change(&request)
        return PreviewSize(of: info, request)
    }

    @Test(
        arguments: [
            ("width=1920,height=1080", (1280, 720)), ("width=1600,height=1200", (960, 720)),
            ("width=2000,height=1000", (1280, 640)), ("width=4056,height=3040", (960, 720)),
            ("width=1080,height=1920", (406, 720)), ("width=1366,height=768", (1280, 720)),
        ])
    func `A preview has the size of the camera's frames, scaled down to the largest size that fits`(
        caps: String, expected: (Int, Int)
    ) throws {
        #expect(try size(caps) == PreviewSize(width: expected.0, height: expected.1))
    }

    @Test(
        arguments: [
            ("width=1920,height=1080", nil, nil, (406, 720)), ("width=1080,height=1920", nil, nil, (1280, 720)),
            ("width=641,height=479", nil, nil, (479, 641)), ("width=1600,height=900", 360, nil, (360, 640)),
            ("width=1600,height=900", nil, 640, (360, 640)), ("width=1600,height=900", 300, 200, (300, 200)),
            ("width=720,height=576,pixel-aspect-ratio=16/15", nil, nil, (540, 720)),
            ("width=320,height=480,pixel-aspect-ratio=2/1", nil, nil, (480, 640)),
        ] as [(String, Int?, Int?, (Int, Int))])
    func `The preview of a camera on its side has the size of the turned frames`(
        caps: String, width: Int?, height: Int?, expected: (Int, Int)
    ) throws {
        let info = try #require(Caps("video/x-raw,format=I420,framerate=30/1," + caps).videoInfo)
        var request = PreviewRequest()
        (request.width, request.height) = (width, height)
        for orientation in Orientation.allCases where orientation.swapsAxes {
            #expect(
                PreviewSize(of: info, request, orientation) == PreviewSize(width: expected.0, height: expected.1))
        }
    }

    @Test(arguments: [(1280, 720), (640, 480), (641, 479), (1, 1), (16, 700)])
    func `Frames that fit a preview are not scaled, even if their sides are odd`(width: Int, height: Int) throws {
        #expect(try size("width=\(width),height=\(height)") == PreviewSize(width: width, height: height))
    }

    @Test func `A preview has square pixels`() throws {
        let size = try size("width=720,height=576,pixel-aspect-ratio=16/15")
        #expect(size == PreviewSize(width: 768, height: 576))
    }

    @Test func `One requested side keeps the proportions, and two requested sides are used as they are`() throws {
        #expect(try size("width=640,height=480") { $0.width = 320 } == PreviewSize(width: 320, height: 240))
        #expect(try size("width=640,height=480") { $0.height = 960 } == PreviewSize(width: 1280, height: 960))
        #expect(
            try size("width=640,height=480") { ($0.width, $0.height) = (333, 111) }
                == PreviewSize(width: 333, height: 111))
    }

    @Test func `A preview of very long and thin frames has a valid size`() throws {
        #expect(try size("width=16384,height=2").height == 2)
        #expect(try size("width=2,height=16384") { $0.width = 16384 }.height == 16384)
    }

    @Test(
        arguments: [
            (400, 400, PixelBox(x: 0, y: 86, width: 400, height: 225)),
            (nil, 120, PixelBox(x: 0, y: 0, width: 214, height: 120)),
        ] as [(Int?, Int, PixelBox)])
    func `A preview has the size of its geometry, with borders if both sides are requested`(
        width: Int?, height: Int, picture: PixelBox
    ) throws {
        var request = PreviewRequest()
        (request.width, request.height, request.isMirrored) = (width, height, true)
        let info = try VideoInfo(format: "I420", width: 640, height: 360)
        let geometry = StillGeometry(of: info, request, .upright)
        #expect(geometry.previewWidth == width ?? 214 && geometry.previewHeight == height)
        #expect(geometry.picture == picture && geometry.isMirrored)
    }

    @Test func `Any requested size makes a geometry without a trap`() throws {
        let lengths = [nil, Int.min, -1, 0, 1, 2, 31, 64, 20_000, Int.max]
        let info = try VideoInfo(format: "I420", width: 64, height: 48)
        for width in lengths {
            for height in lengths {
                var request = PreviewRequest()
                (request.width, request.height) = (width, height)
                for orientation in [Orientation.upright, .turnedLeft, .transposed] {
                    let geometry = StillGeometry(of: info, request, orientation)
                    _ = geometry.stillBox(PixelBox(x: 0, y: 0, width: 10, height: 10))
                    _ = geometry.previewBox(geometry.picture)
                }
            }
        }
    }
}

@Suite struct `The sink of a preview` {
    @Test func `The automatic sink shows the preview on X11, else on Wayland, else on the screen itself`() {
        func elements(_ displays: PreviewSink.Displays) -> String { PreviewSink.automatic.elements(on: displays) }
        #expect(elements(.init(hasX11: true, hasWayland: true, hasScreen: true)).hasPrefix("ximagesink"))
        #expect(elements(.init(hasWayland: true, hasScreen: true)).hasPrefix("gtkwaylandsink"))
        #expect(elements(.init(hasScreen: true)).hasPrefix("kmssink"))
    }

    @Test func `A sink may be chosen by name, and any other text is elements`() {
        #expect(PreviewSink("X11") == .x11 && PreviewSink("auto") == .automatic && PreviewSink("none") == .none)
        #expect(PreviewSink("glimagesink rotate-method=1") == .elements("glimagesink rotate-method=1"))
        #expect(PreviewSink.names.allSatisfy { if case .elements = PreviewSink($0) { false } else { true } })
    }

    @Test(arguments: [PreviewSink.automatic, .x11, .wayland, .gl])
    func `A missing display is an error before a camera is opened`(sink: PreviewSink) {
        let error = #expect(throws: CaptureError.self) { try sink.check(PreviewSink.Displays()) }
        #expect(error?.code == .noDisplay && error?.code.exitStatus == 69)
        #expect(error?.advice?.contains("DISPLAY") == true)
    }

    @Test(arguments: [PreviewSink.kms, .none, .elements("fakesink")])
    func `A sink that needs no desktop is not an error without a display`(sink: PreviewSink) throws {
        try sink.check(PreviewSink.Displays())
    }
}

@Suite struct `The pipeline of a preview` {
    private func text(
        _ source: CaptureConfiguration.Source, _ change: (inout CaptureConfiguration) -> Void = { _ in }
    ) throws -> String {
        var configuration = CaptureConfiguration(source: source, output: .caller)
        configuration.preview = PreviewRequest()
        configuration.preview?.sink = .none
        change(&configuration)
        return try SourceDescription(configuration).launchText
    }

    @Test func `A pipeline without a preview has no branch for one`() throws {
        #expect(try !text(.camera(.scene)) { $0.preview = nil }.contains("tee"))
    }

    @Test func `For a preview, frames that are or may be compressed are decoded behind the branch for stills`() throws {
        #expect(try !text(.camera(.scene)).contains("decodebin"))
        #expect(try text(.camera(.scene)) { $0.request.format = "mjpeg" }.contains("! jpegdec !"))
        #expect(try text(.fragment("somesrc")).contains("! decodebin !"))
        #expect(try text(.fragment("somesrc")) { $0.request.format = "mjpeg" }.contains("! jpegdec !"))
        #expect(try !text(.fragment("somesrc")) { $0.request.format = "NV12" }.contains("decodebin"))
    }

    @Test func `Frames that are decoded for both branches are not decoded again`() throws {
        let text = try text(.fragment("somesrc")) { $0.decode = "h264parse ! avdec_h264" }
        #expect(text.contains("somesrc ! h264parse ! avdec_h264 ! tee"))
        #expect(!text.contains("decodebin") && !text.contains("jpegdec"))
    }

    @Test(
        arguments: [
            (Orientation.upright, "identity", "horiz"), (.turnedRight, "90r", "ul-lr"), (.upsideDown, "180", "vert"),
            (.turnedLeft, "90l", "ur-ll"),
        ] as [(Orientation, String, String)])
    func `Frames of a preview are scaled, turned as the stills are, and then mirrored`(
        orientation: Orientation, direction: String, mirrored: String
    ) throws {
        for (isMirrored, word) in [(false, direction), (true, mirrored)] {
            let text = try text(.camera(.scene)) {
                $0.orientation = orientation
                $0.preview?.isMirrored = isMirrored
                $0.preview?.width = 320
                $0.preview?.height = 200
            }
            let size = orientation.swapsAxes ? "width=200,height=320" : "width=320,height=200"
            let flip = "videoflip name=\(PreviewDescription.mirrorName) video-direction=\(word)"
            let scaled = try #require(text.range(of: size), "\(text)")
            #expect(text[scaled.upperBound...].contains(flip), "\(text)")
        }
    }

    @Test func `A preview has a frame rate only if one is requested, in whole frames a second`() throws {
        #expect(try !text(.camera(.scene)).contains("videorate"))
        #expect(
            try text(.camera(.scene)) { $0.preview?.frameRate = FrameRate(15, 2) }.contains("max-rate=8 "))
        #expect(
            try text(.camera(.scene)) { $0.preview?.frameRate = FrameRate(1, 10) }.contains("max-rate=1 "))
    }
}

@Suite struct `The values of texts on a preview` {
    private let slot = Slot(index: 4, due: ClockTime(nanoseconds: 1), cause: .trigger)

    @Test func `The countdown text shows the seconds until its picture is taken or it is canceled`() {
        var values = PreviewValues(camera: "Scene")
        #expect(values.texts["countdown"] == "" && values.texts["camera"] == "Scene" && values.texts["count"] == "0")
        let countdowns: [(CaptureEvent, String)] = [
            (.countdown(slot, remaining: .seconds(3)), "3"), (.willCapture(Slot(index: 0, due: .zero)), "3"),
            (.willCapture(slot), ""), (.countdown(slot, remaining: .seconds(1)), "1"), (.calledOff(slot), ""),
        ]
        for (event, text) in countdowns {
            _ = values.apply(event)
            #expect(values.texts["countdown"] == text)
        }
    }

    @Test func `The values of texts are reported as changed only if one differs`() {
        var values = PreviewValues(camera: "Scene")
        let second = CaptureEvent.countdown(slot, remaining: .seconds(3))
        let changes = [second, .drawn, second].map { values.apply($0) }
        #expect(changes == [true, false, false])
    }
}
