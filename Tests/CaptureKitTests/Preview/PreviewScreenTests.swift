// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import OverlayCompositor
import OverlayRaster
import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit

extension LiveFrames {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct `A preview that outlives cameras` {
        /// A preview whose frames the test reads.
        private struct Watched {
            let screen: PreviewScreen
            let sink: AppSink

            init(
                overlay: Overlay? = nil, observer: (any PreviewObserver)? = nil,
                _ change: (inout PreviewRequest) -> Void = { _ in }
            ) async throws {
                var request = PreviewRequest()
                request.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
                change(&request)
                screen = PreviewScreen(request, overlay, CairoRasterizer(), observer: observer)
                try await screen.start()
                sink = try AppSink(named: "shown", in: #require(screen.pipeline), .keepNewest(1))
            }

            /// Waits for a frame that fits.
            @discardableResult
            func frame(_ isWanted: (RGBPicture) -> Bool) async throws -> RGBPicture {
                while let sample = try await sink.nextSample() {
                    let picture = try RGBPicture(sample)
                    if isWanted(picture) { return picture }
                    // On a slow machine the next frame is there already. The tasks that must bring the wanted one need
                    // the thread.
                    await Task.yield()
                }
                throw NoFrame()
            }

            struct NoFrame: Error {}
        }

        private func open(_ source: String, on screen: PreviewScreen) async throws -> CameraSession {
            var configuration = CaptureConfiguration(
                source: .fragment("videotestsrc is-live=true " + source), output: .caller)
            configuration.preview = PreviewRequest()
            let session = try CameraSession(SourceDescription(configuration), subject: "camera")
            _ = try await session.show(on: screen, .upright)
            try await session.play()
            return session
        }

        /// Black and white fields of 8 pixels, which a blur removes completely.
        private static let checkers = "pattern=checkers-8 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"

        private static func isBlurred(_ picture: RGBPicture) -> Bool {
            (0..<picture.height / 4).allSatisfy { y in
                (8..<picture.width - 8).allSatisfy { x in (70...185).contains(picture[x, y + 2][1]) }
            }
        }

        private static func hasWords(_ picture: RGBPicture) -> Bool {
            let rows = picture.height * 2 / 5..<picture.height * 3 / 5
            return rows.flatMap { y in (0..<picture.width).map { picture[$0, y] } }.count { pixel in
                pixel.min() > 240
            } > 30
        }

        private static func isNear(_ pixel: RGBPicture.Pixel, _ wanted: RGBPicture.Pixel) -> Bool {
            pixel.distance(to: wanted) <= 24
        }

        // MARK: Without a camera

        @Test func `A hold shows the last frame, blurred, and the reason, until the next camera's frame`() async throws
        {
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

        @Test func `Frames of other formats and sizes are scaled to the size of the preview`() async throws {
            let watched = try await Watched()
            let cameras: [(source: String, color: RGBPicture.Pixel)] = [
                ("pattern=red ! video/x-raw,format=I420,width=320,height=240,framerate=30/1", [255, 0, 0]),
                ("pattern=blue ! video/x-raw,width=96,height=192,framerate=30/1 ! jpegenc ! identity", [0, 0, 255]),
                ("pattern=green ! video/x-raw,format=YUY2,width=960,height=720,framerate=30/1", [0, 255, 0]),
            ]
            for (source, color) in cameras {
                let session = try await open(source, on: watched.screen)
                let picture = try await watched.frame { Self.isNear($0[160, 120], color) }
                #expect(picture.width == 320 && picture.height == 240)
                // A frame that is too narrow has black borders at its sides.
                #expect(Self.isNear(picture[20, 120], source.contains("width=96,") ? [0, 0, 0] : color))
                try await session.close()
            }
            await watched.screen.close()
            let sizes = await watched.screen.sizes()
            #expect(sizes == [PreviewSize(width: 320, height: 240)])
        }

        @Test func `A hold before the first frame is black with the reason`() async throws {
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

        @Test func `The preview keeps its mirror and its overlay for the next camera`() async throws {
            let overlay = Overlay(CairoRasterizer())
            var bars = Layer("bars", .letterbox(aspect: 4))
            bars.style.color = Color(red: 1, green: 0, blue: 1)
            overlay.show([bars])
            let watched = try await Watched(overlay: overlay)
            // The first of the pattern's bars is white, the last one is blue.
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

        // MARK: Pages

        private static func page(_ text: String) -> [Layer] { [.standIn(text)] }

        private static func isPage(_ picture: RGBPicture) -> Bool {
            hasWords(picture) && picture.pixels.prefix(picture.width * 4).allSatisfy { $0 == [0, 0, 0] }
        }

        @Test func `A page stays while a camera is lost and another opened, and then frames return`() async throws {
            let watched = try await Watched()
            let first = try await open(Self.checkers, on: watched.screen)
            try await watched.frame { $0[4, 4] != $0[12, 4] }
            watched.screen.present(Self.page("1 of 2"), over: .black)
            let page = try await watched.frame(Self.isPage)
            #expect(page.width == 320 && page.height == 240)
            watched.screen.present(Self.page("2 of 2"), over: .blurred)
            try await watched.frame { Self.isBlurred($0) && Self.hasWords($0) }
            // Behind the page, the camera continues, is lost, and comes back.
            _ = await FrameFeed(first).next()
            try await first.close()
            watched.screen.hold(because: "the camera is gone")
            let second = try await open(Self.checkers, on: watched.screen)
            _ = await FrameFeed(second).next()
            watched.screen.present(Self.page("review"), over: .black)
            let next = try await watched.frame { _ in true }
            #expect(Self.isPage(next) || Self.isBlurred(next))
            if !Self.isPage(next) { try await watched.frame(Self.isPage) }
            watched.screen.resume()
            try await watched.frame { $0[4, 4] != $0[12, 4] }
            try await second.close()
            await watched.screen.close()
        }

        @Test func `A page is shown before the first camera is opened`() async throws {
            let watched = try await Watched { $0.height = 180 }
            watched.screen.present(Self.page("100 %d {countdown}"), over: .blurred)
            let page = try await watched.frame(Self.isPage)
            #expect(page.width == 320 && page.height == 180)
            await watched.screen.close()
        }

        // MARK: Flash

        @Test(arguments: ["I420", "YUY2", "BGRx", "NV12"])
        func `A flash is white for a moment, in the format of the frames`(format: String) async throws {
            let formats = Formats()
            let watched = try await Watched()
            let pad = try #require(watched.screen.pipeline?.element(named: PreviewDescription.sourceName).pad("src"))
            try pad.probeEvents { event in
                if case .caps(let caps) = event { formats.add(caps) }
                return .pass
            }
            let session = try await open(
                "pattern=red ! video/x-raw,format=\(format),width=320,height=240,framerate=30/1", on: watched.screen)
            let red: RGBPicture.Pixel = [255, 0, 0]
            try await watched.frame { Self.isNear($0[160, 120], red) }
            // The flash is painted with the first frame, and may not be ready yet.
            let flashes = Task {
                while !Task.isCancelled {
                    watched.screen.flash()
                    try await Task.sleep(for: .milliseconds(300))
                }
            }
            let flash = try await watched.frame { Self.isNear($0[160, 120], [255, 255, 255]) }
            flashes.cancel()
            #expect(flash.pixels.allSatisfy { $0.min() >= 250 })
            try await watched.frame { Self.isNear($0[160, 120], red) }
            #expect(formats.all.count == 1)
            try await session.close()
            await watched.screen.close()
        }

        // MARK: Observers

        @Test func `An observer gets the mirrored frames without the layers`() async throws {
            let overlay = Overlay(CairoRasterizer())
            var cover = Layer("cover", .letterbox(aspect: 100))
            cover.style.color = Color(red: 1, green: 0, blue: 1)
            overlay.show([cover])
            let observer = Looks()
            let watched = try await Watched(overlay: overlay, observer: observer) {
                ($0.isMirrored, $0.width) = (true, 160)
            }
            // The first of the pattern's bars is white, the last one is blue: mirrored, luma rises from left to right.
            let first = try await open(
                "pattern=smpte75 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1", on: watched.screen)
            try await watched.frame { Self.isNear($0[80, 10], [255, 0, 255]) }
            let seen = await observer.next { $0.count > 3 }
            #expect(
                seen.allSatisfy {
                    $0.camera == [320, 240] && $0.shown == [160, 120] && $0.left < 80 && $0.right > 150
                })
            #expect(seen.allSatisfy { $0.taken.map { $0 <= PipelineClock.system.now } == true })
            try await first.close()
            let count = observer.looks.count
            let second = try await open(
                "pattern=white ! video/x-raw,format=I420,width=640,height=480,framerate=30/1", on: watched.screen)
            let later = await observer.next { $0.count > count + 2 }
            #expect(later.last.map { $0.camera == [640, 480] && $0.shown == [160, 120] && $0.left > 200 } == true)
            try await second.close()
            await watched.screen.close()
        }

        @Test func `An observer gets no frame of a lens that was cut off`() async throws {
            let observer = Looks()
            let watch = PreviewWatch(observer)
            let info = try VideoInfo(format: "I420", width: 160, height: 120)
            let frame = try Buffer([UInt8](repeating: 128, count: info.byteCount))
            watch.look(at: frame, taken: nil)
            watch.setFormat(camera: info)
            watch.setFormat(shown: info)
            watch.look(at: frame, taken: nil)
            watch.close()
            watch.look(at: frame, taken: nil)
            #expect(observer.looks.count == 1)
        }

        // MARK: Between camera and screen

        @Test(arguments: ["I420", "YUY2", "GRAY16_LE"])
        func `Frames on the screen are not in the memory of the camera`(format: String) async throws {
            let camera = try Pipeline(
                "videotestsrc is-live=true ! video/x-raw,format=\(format),width=320,height=240,framerate=60/1 ! "
                    + "appsink name=frames sync=false")
            let (own, shown) = (Addresses(), Addresses())
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            try #require(camera.element(named: "frames").pad("sink")).probeBuffers { buffer in
                own.add(buffer.retained())
                return .pass
            }
            let lens = try PreviewLens(
                PreviewDescription(PreviewRequest(), of: .raw), on: FrameOutlet(named: "frames", in: camera),
                PreviewLens.Surroundings(
                    overlay: nil, onFormat: { _, _ in },
                    show: { sample, entered in
                        #expect(entered.map { $0 <= PipelineClock.system.now } == true)
                        if let buffer = sample.buffer { shown.add(buffer) }
                        continuation.yield()
                    }))
            try await lens.play()
            try await camera.play()
            for await _ in stream.prefix(20) {}
            await lens.close()
            try await camera.stop()
            let (cameraPlaces, screenPlaces) = (own.all, shown.all)
            #expect(!cameraPlaces.isEmpty && !screenPlaces.isEmpty && cameraPlaces.isDisjoint(with: screenPlaces))
        }

        @Test func `A preview that fails reports its end once, and cameras work without it`() async throws {
            var request = PreviewRequest()
            request.sink = .elements("identity error-after=2 ! fakesink")
            let screen = PreviewScreen(request, nil, nil)
            try await screen.start()
            let session = try await open(Self.checkers, on: screen)
            var endings = 0
            for await event in screen.events {
                guard case .ended(let error) = event else { continue }
                endings += 1
                #expect(error?.subject == "preview")
                screen.hold(because: "the preview has ended")
                await screen.close()
                // Stills are not affected.
                #expect(await FrameFeed(session).next() != nil)
                try await session.close()
                let next = try await open(Self.checkers, on: screen)
                #expect(await FrameFeed(next).next() != nil)
                try await next.close()
            }
            #expect(endings == 1)
        }

        @Test func `A preview that has ended does not start`() async throws {
            var request = PreviewRequest()
            request.sink = .none
            let screen = PreviewScreen(request, nil, nil)
            await screen.close()
            try await screen.start()
            #expect(screen.pipeline == nil)
        }

        @Test func `A preview that has ended refuses a lens that was started before`() async throws {
            let watched = try await Watched()
            let camera = try Pipeline("videotestsrc is-live=true ! appsink name=frames sync=false")
            let lens = try PreviewLens(
                PreviewDescription(PreviewRequest(), of: .raw), on: FrameOutlet(named: "frames", in: camera),
                PreviewLens.Surroundings(overlay: nil, onFormat: { _, _ in }, show: { _, _ in }))
            await watched.screen.close()
            #expect(!watched.screen.switchLens(to: lens))
            await lens.close()
        }

        @Test func `The close of a preview waits for the drawing in progress`() async throws {
            var request = PreviewRequest()
            request.sink = .none
            let rasterizer = PausedRasterizer()
            let screen = PreviewScreen(request, nil, rasterizer)
            try await screen.start()
            screen.present(Self.page("1 of 2"), over: .black)
            let drawing = try #require(await rasterizer.drawing())
            async let closing: Void = screen.close(deadline: .seconds(300))
            // The events end when everything but the drawing has ended.
            for await _ in screen.events {}
            drawing.resume()
            await closing
            #expect(rasterizer.hasEnded)
        }

        @Test func `A preview is released after its end, although it has shown several cameras`() async throws {
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
            // A streaming thread may hold it for a moment.
            while screen != nil { try await Task.sleep(for: .milliseconds(10)) }
        }
    }
}

/// Waits during a drawing until a test resumes it, even if the task is canceled. The drawing fails then.
private final class PausedRasterizer: Rasterizer {
    private let drawings = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
    private let ended = Mutex(false)

    var hasEnded: Bool { ended.withLock { $0 } }

    /// Waits for a drawing; `resume()` continues it.
    func drawing() async -> CheckedContinuation<Void, Never>? {
        for await drawing in drawings.stream { return drawing }
        return nil
    }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        await withCheckedContinuation { drawings.continuation.yield($0) }
        ended.withLock { $0 = true }
        throw OverlayError(.damaged, "is not drawn")
    }
}

/// The formats that the preview's caps events announced.
private final class Formats: Sendable {
    private let caps = Mutex<Set<Caps>>([])

    var all: Set<Caps> { caps.withLock { $0 } }

    func add(_ caps: Caps) { _ = self.caps.withLock { $0.insert(caps) } }
}

/// The frames that an observer received.
private final class Looks: PreviewObserver {
    struct Look: Sendable {
        let camera: [Int]
        let shown: [Int]
        let left: UInt8
        let right: UInt8
        let taken: ClockTime?
    }

    private let state = Mutex<(camera: [Int], shown: [Int], looks: [Look])>(([], [], []))
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    var looks: [Look] { state.withLock { $0.looks } }

    /// Waits until the observer has received enough frames.
    func next(_ isEnough: ([Look]) -> Bool) async -> [Look] {
        for await _ in stream where isEnough(looks) { break }
        return looks
    }

    func setFormats(_ camera: VideoInfo, _ shown: VideoInfo) {
        state.withLock { ($0.camera, $0.shown) = ([camera.width, camera.height], [shown.width, shown.height]) }
    }

    func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?) {
        let ends = try? buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeBytes { ($0[10 * layout.stride + 5], $0[10 * layout.stride + info.width - 5]) }
            }
        }
        guard let ends = ends ?? nil else { return }
        state.withLock { state in
            state.looks.append(
                Look(camera: state.camera, shown: state.shown, left: ends.0, right: ends.1, taken: taken))
        }
        continuation.yield()
    }
}

/// The addresses of frames in memory. The frames stay there, so that no other frame can have the same address.
private final class Addresses: Sendable {
    private let buffers = Mutex<[Buffer]>([])

    var all: Set<UInt> {
        let addresses = buffers.withLock { $0 }.compactMap { buffer in
            try? buffer.withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        }
        return Set(addresses)
    }

    func add(_ buffer: Buffer) { buffers.withLock { $0.append(buffer) } }
}

extension PreviewScreen {
    /// The sizes that the screen emitted, to its end.
    fileprivate func sizes() async -> [PreviewSize] {
        var sizes: [PreviewSize] = []
        for await event in events {
            if case .size(let size) = event { sizes.append(size) }
        }
        return sizes
    }
}
