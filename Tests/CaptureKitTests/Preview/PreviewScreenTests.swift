// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `A preview that outlives cameras` {
    /// A preview whose frames the test looks at.
    private struct Watched {
        let screen: PreviewScreen
        let sink: AppSink

        init(
            overlay: Overlay? = nil, _ change: (inout PreviewRequest) -> Void = { _ in }
        ) async throws {
            var request = PreviewRequest()
            request.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
            change(&request)
            screen = PreviewScreen(request, overlay, CairoRasteriser())
            try await screen.start()
            sink = try AppSink(named: "shown", in: #require(screen.pipeline), .keepNewest(1))
        }

        /// Waits for a frame that looks like this.
        @discardableResult
        func frame(_ isWanted: (RGBPicture) -> Bool) async throws -> RGBPicture {
            while let sample = await sink.nextSample() {
                let info = try #require(sample.caps?.videoInfo)
                let picture = try RGBPicture(#require(sample.buffer).bytes(), info)
                if isWanted(picture) { return picture }
            }
            throw NoFrame()
        }

        struct NoFrame: Error {}
    }

    private func open(_ source: String, on screen: PreviewScreen) async throws -> CameraSession {
        var configuration = CaptureConfiguration(
            source: .fragment("videotestsrc is-live=true " + source), output: .caller)
        configuration.preview = PreviewRequest()
        return try await CameraSession(
            SourceDescription(configuration), subject: "camera", preview: screen)
    }

    /// Black and white fields of 8 pixels, which nothing is left of when they are blurred.
    private static let checkers = "pattern=checkers-8 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"

    private static func isBlurred(_ picture: RGBPicture) -> Bool {
        (0..<picture.height / 4).allSatisfy { y in
            (8..<picture.width - 8).allSatisfy { x in (70...185).contains(picture[x, y + 2][1]) }
        }
    }

    private static func hasWords(_ picture: RGBPicture) -> Bool {
        let rows = picture.height * 2 / 5..<picture.height * 3 / 5
        return rows.flatMap { y in (0..<picture.width).map { picture[$0, y] } }.count { pixel in
            pixel.allSatisfy { $0 > 240 }
        } > 30
    }

    private static func isNear(_ pixel: [UInt8], _ wanted: [UInt8]) -> Bool {
        zip(pixel, wanted).allSatisfy { abs(Int($0) - Int($1)) <= 24 }
    }

    // MARK: Without a camera

    @Test func `shows the last frame, blurred, with what is wrong, until the next camera's first frame`() async throws {
        let watched = try await Watched()
        let first = try await open(Self.checkers, on: watched.screen)
        try await watched.frame { $0[4, 4] != $0[12, 4] && $0.width == 320 }
        try await first.close()
        watched.screen.hold(because: "the camera is gone")
        try await watched.frame { Self.isBlurred($0) && Self.hasWords($0) }
        watched.screen.hold(because: "100 %d {countdown}")
        try await watched.frame { Self.isBlurred($0) && Self.hasWords($0) }

        let second = try await open(Self.checkers, on: watched.screen)
        let picture = try await watched.frame { !Self.isBlurred($0) }
        #expect(picture.width == 320)
        try await second.close()
        await watched.screen.close()
    }

    @Test func `takes cameras of other formats and sizes into the size that it has`() async throws {
        let watched = try await Watched()
        let cameras = [
            ("pattern=red ! video/x-raw,format=I420,width=320,height=240,framerate=30/1", [UInt8(255), 0, 0]),
            ("pattern=blue ! video/x-raw,width=96,height=192,framerate=30/1 ! jpegenc ! identity", [0, 0, 255]),
            ("pattern=green ! video/x-raw,format=YUY2,width=960,height=720,framerate=30/1", [0, 255, 0]),
        ]
        for (source, color) in cameras {
            let session = try await open(source, on: watched.screen)
            let picture = try await watched.frame { Self.isNear($0[160, 120], color) }
            #expect(picture.width == 320 && picture.height == 240)
            // What is too narrow has black at its sides.
            #expect(Self.isNear(picture[20, 120], source.contains("width=96,") ? [0, 0, 0] : color))
            try await session.close()
        }
        await watched.screen.close()
        let sizes = await watched.screen.sizes()
        #expect(sizes == [PreviewSize(width: 320, height: 240)])
    }

    @Test func `is black with what is wrong where there was no frame yet`() async throws {
        let watched = try await Watched { $0.width = 320 }
        watched.screen.hold(because: "no camera")
        let black = try await watched.frame(Self.hasWords)
        #expect(black.width == 320 && black.height == 180 && black[10, 10] == [0, 0, 0])
        let session = try await open(Self.checkers, on: watched.screen)
        try await watched.frame { $0.height == 240 && $0[4, 4] != $0[12, 4] }
        try await session.close()
        await watched.screen.close()
        let sizes = await watched.screen.sizes()
        #expect(sizes == [PreviewSize(width: 320, height: 180), PreviewSize(width: 320, height: 240)])
    }

    @Test func `keeps its mirror and its overlay with the next camera`() async throws {
        let overlay = Overlay(CairoRasteriser())
        var bars = Layer("bars", .letterbox(aspect: 4))
        bars.style.color = Color(red: 1, green: 0, blue: 1)
        overlay.show([bars])
        let watched = try await Watched(overlay: overlay)
        // The first of the pattern's bars is white, the last one blue.
        let source = "pattern=smpte ! video/x-raw,width=320,height=240,framerate=30/1"
        func isTurned(_ picture: RGBPicture) -> Bool {
            Self.isNear(picture[310, 120], [255, 255, 255]) && Self.isNear(picture[2, 2], [255, 0, 255])
        }
        let first = try await open(source, on: watched.screen)
        try await watched.frame { Self.isNear($0[10, 120], [255, 255, 255]) }
        watched.screen.mirror(true)
        try await watched.frame(isTurned)
        try await first.close()
        let second = try await open(source, on: watched.screen)
        try await watched.frame(isTurned)
        try await second.close()
        await watched.screen.close()
    }

    // MARK: Between camera and screen

    @Test(arguments: ["I420", "YUY2", "GRAY16_LE"])
    func `shows no memory of the camera's`(format: String) async throws {
        let camera = try Pipeline(
            "videotestsrc is-live=true ! video/x-raw,format=\(format),width=320,height=240,framerate=60/1 ! "
                + "tee name=split  split. ! queue ! appsink name=stills sync=false  \(PreviewDescription.tap)")
        let (own, shown) = (Addresses(), Addresses())
        let (stream, tell) = AsyncStream.makeStream(of: Void.self)
        try #require(camera.element(named: PreviewDescription.tapName).pad("sink")).probeBuffers { buffer in
            own.add(buffer.retained())
            return .pass
        }
        let lens = try PreviewLens(
            PreviewDescription(PreviewRequest(), of: .raw), on: camera,
            PreviewLens.Surroundings(
                overlay: nil, meet: { _ in },
                show: { sample, entered in
                    #expect(entered.map { $0 <= PipelineClock.system.now } == true)
                    if let buffer = sample.buffer { shown.add(buffer) }
                    tell.yield()
                }))
        try await lens.play()
        try await camera.play()
        for await _ in stream.prefix(20) {}
        await lens.close()
        try await camera.stop()
        #expect(!own.all.isEmpty && !shown.all.isEmpty && own.all.isDisjoint(with: shown.all))
    }

    @Test func `says once that it is over, and takes no camera any more`() async throws {
        var request = PreviewRequest()
        request.sink = .elements("identity error-after=2 ! fakesink")
        let screen = PreviewScreen(request, nil, nil)
        try await screen.start()
        let session = try await open(Self.checkers, on: screen)
        var endings = 0
        for await happening in screen.happenings {
            guard case .ended(let error) = happening else { continue }
            endings += 1
            #expect(error?.subject == "preview")
            screen.hold(because: "nobody sees this")
            await screen.close()
            // Stills are another matter.
            #expect(await session.nextFrame() != nil)
            try await session.close()
            let next = try await open(Self.checkers, on: screen)
            #expect(await next.nextFrame() != nil)
            try await next.close()
        }
        #expect(endings == 1)
    }

    @Test func `is released while cameras come and go`() async throws {
        weak var screen: PreviewScreen?
        do {
            let watched = try await Watched()
            screen = watched.screen
            for _ in 0..<3 {
                let session = try await open(Self.checkers, on: watched.screen)
                try await watched.frame { !Self.isBlurred($0) }
                watched.screen.hold(because: "standby")
                try await session.close()
            }
            await watched.screen.close()
        }
        #expect(screen == nil)
    }
}

/// Where frames lie in memory.
private final class Addresses: Sendable {
    private let places = Mutex<Set<UInt>>([])

    var all: Set<UInt> { places.withLock { $0 } }

    func add(_ buffer: Buffer) {
        let address = try? buffer.withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        if let address { _ = places.withLock { $0.insert(address) } }
    }
}

extension PreviewScreen {
    /// The sizes that it told of, to its end.
    fileprivate func sizes() async -> [PreviewSize] {
        var sizes: [PreviewSize] = []
        for await happening in happenings {
            if case .size(let size) = happening { sizes.append(size) }
        }
        return sizes
    }
}
