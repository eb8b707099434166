// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import OverlayCompositor
import OverlayRaster
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

// Serialized, with few frames a second: large frames of many sources at once leave no processor for other tests.
extension LiveFrames {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct `A capture with a preview` {
        /// How long a camera may deliver no frame: it must not be lost if the machine stands still for seconds.
        private static let patience = Duration.seconds(300)

        /// Triggers a picture when the preview delivers frames, and ends.
        private func run(
            _ source: String, sink: String = "fakesink", rasterizer: (any Rasterizer)? = nil,
            _ change: (inout CaptureConfiguration) -> Void = { _ in }
        ) async -> CaptureRecord {
            await CaptureRecord.of("videotestsrc is-live=true ! " + source, rasterizer: rasterizer) { configuration in
                configuration.schedule = .onRequest(count: 1)
                configuration.stallLimit = Self.patience
                configuration.preview = PreviewRequest()
                configuration.preview?.sink = .elements(sink)
                change(&configuration)
            } onEvent: { event, controller in
                if case .previewing = event { await controller.trigger() }
            }
        }

        @Test(
            arguments: [
                ("video/x-raw,format=YUY2,width=640,height=480,framerate=10/1", (640, 480)),
                ("video/x-raw,format=NV12,width=1600,height=1200,framerate=10/1", (960, 720)),
                ("video/x-raw,format=GRAY16_LE,width=321,height=243,framerate=10/1", (321, 243)),
                ("video/x-raw,format=I420,width=1921,height=1081,framerate=10/1 ! jpegenc", (1280, 720)),
                ("video/x-raw,format=BGRx,width=64,height=48,framerate=10/1,pixel-aspect-ratio=2/1", (128, 48)),
                ("video/x-raw,format=Y42B,width=639,height=480,framerate=10/1,colorimetry=bt709 ! jpegenc", (639, 480)),
            ])
        func `The preview has the right size for frames of every format, and stills have the full size`(
            source: String, size: (width: Int, height: Int)
        ) async throws {
            let record = await run(source + " ! identity")
            let shown = record.events.compactMap { event in
                if case .previewing(let width, let height) = event { [width, height] } else { nil }
            }
            #expect(shown == [[size.width, size.height]])
            #expect(record.summary.ending == .completed)
            let still = try #require(record.events.still)
            #expect(source.contains("width=\(still.width),height=\(still.height),"))
        }

        @Test func `A preview that fails is reported, and the capture continues`() async throws {
            let record = await CaptureRecord.of { configuration in
                configuration.schedule = .onRequest(count: 1)
                configuration.stallLimit = Self.patience
                configuration.preview = PreviewRequest()
                configuration.preview?.sink = .elements("identity error-after=2 ! fakesink")
            } onEvent: { event, controller in
                if case .previewEnded(let error?) = event {
                    #expect(error.code == .noDisplay && error.subject == "preview")
                    await controller.trigger()
                }
            }
            #expect(record.captured.count == 1)
            #expect(record.summary.ending == .completed)
        }

        @Test func `A preview that stands still does not delay the capture`() async {
            let record = await CaptureRecord.of { configuration in
                configuration.schedule = .onRequest(count: 10)
                // With recovery, a trigger whose frame takes ten seconds would miss its picture.
                (configuration.recovery, configuration.stallLimit) = (.off, Self.patience)
                configuration.preview = PreviewRequest()
                // A sink that waits for a time that never comes.
                configuration.preview?.sink = .elements("fakesink sync=true ts-offset=3600000000000")
            } onEvent: { event, controller in
                switch event {
                case .settled, .captured: await controller.trigger()
                default: break
                }
            }
            #expect(record.captured.count == 10)
            #expect(record.summary.ending == .completed)
        }

        /// The camera delivers frames until it is closed: at 200 frames a second, some arrive after the rest has begun.
        @Test func `The preview shows until when the camera rests, even if frames arrive before it is closed`() async {
            let source = "videotestsrc is-live=true pattern=black ! video/x-raw,width=320,height=240,framerate=200/1"
            var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
            (configuration.settle, configuration.stallLimit) = (.off, Self.patience)
            configuration.schedule = .every(.seconds(3600), count: nil, for: nil)
            (configuration.delay, configuration.standsBy) = (.seconds(3600), true)
            configuration.preview = PreviewRequest()
            configuration.preview?.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
            let controller = CaptureController(configuration, rasterizer: CairoRasterizer())
            var sink: AppSink?
            var (rests, stored) = (0, 0)
            let record = await CaptureRecord.of(controller) { event in
                switch event {
                case .resting:
                    rests += 1
                    if sink == nil, let pipeline = controller.screen {
                        sink = try? AppSink(named: "shown", in: pipeline, .keepNewest(1))
                    }
                    let showsWords = await sink?.showsWords() ?? false
                    #expect(showsWords)
                case .stored: stored += 1
                default: return
                }
                guard rests == stored + 1 else { return }
                if rests < 10 { await controller.trigger() } else { await controller.finish() }
            }
            #expect(rests == 10)
            #expect(record.summary.ending == .stopped)
        }

        @Test func `The preview does not influence the format of the source`() async throws {
            // The source would deliver a smaller or a gray frame if an element asked for it.
            let record = await run(
                "video/x-raw,width=[16,3000],height=[16,2000],format={BGRx,GRAY8},framerate=5/1 ! identity"
            ) {
                $0.request.width = 2999
                $0.request.height = 1999
            }
            let still = try #require(record.events.still)
            #expect([still.width, still.height] == [2999, 1999])
        }

        @Test(arguments: ["nosuchsink", "fakesink nosuchproperty=1", "! !", "videotestsrc"])
        func `A sink that is not valid fails the capture with a reason`(sink: String) async {
            let record = await run("video/x-raw,width=64,height=48,framerate=10/1", sink: sink)
            #expect(record.failure != nil && record.captured.isEmpty)
        }

        @Test func `A layer that cannot be drawn is reported once, and the capture continues`() async {
            let record = await CaptureRecord.of(rasterizer: BrokenRasterizer()) { configuration in
                configuration.schedule = .onRequest(count: 1)
                configuration.stallLimit = Self.patience
                configuration.preview = PreviewRequest()
                configuration.preview?.sink = .none
                configuration.overlay = [Layer("title", .text(TextTemplate("words")))]
            } onEvent: { event, controller in
                if case .notice = event {
                    controller.show([Layer("title", .text(TextTemplate("words")))])
                    await controller.trigger()
                }
            }
            let notices = record.events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
            #expect(notices.map(\.description) == ["title: no paint"])
            #expect(notices.map(\.code) == [.layerNotDrawn])
            #expect(notices.map(\.subject) == ["title"])
            #expect(record.captured.count == 1)
        }
    }
}

/// Draws nothing, and throws the reason.
private struct BrokenRasterizer: Rasterizer {
    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        throw OverlayError(.damaged, "no paint")
    }
}

extension AppSink {
    /// Waits for a frame with white words on it; returns `false` at the end.
    fileprivate func showsWords() async -> Bool {
        while let sample = try? await nextSample() {
            guard let picture = try? RGBPicture(sample) else { return false }
            if picture.pixels.count(where: { $0.min() > 240 }) > 30 { return true }
        }
        return false
    }
}

extension [CaptureEvent] {
    fileprivate var still: Still? {
        compactMap { if case .captured(let still) = $0 { still } else { nil } }.first
    }
}
