// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import OverlayCompositor
import PipelineKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An overlay` {
    private static let black = "videotestsrc is-live=true pattern=black ! video/x-raw,framerate=50/1,format=I420"

    @Test func `An overlay is visible at the places of its layers, and nowhere else`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! capsfilter name=overlay ! appsink name=out")
        stream.overlay.show([try stream.whiteRectangle(0.25, 0.25, 0.5, 0.5)])
        #expect(await stream.drawn().isEmpty)
        let frame = try #require(try await stream.luma { $0[80, 60] > 200 })
        #expect(frame[80, 60] == 235)
        #expect([frame[2, 2], frame[157, 117], frame[2, 117]] == [16, 16, 16])
        try await stream.stop()
    }

    @Test func `An overlay adapts when the size of the frames changes in the middle of the stream`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=320,height=240 ! videoscale ! capsfilter name=size caps=video/x-raw,width=160,height=120 "
                + "! capsfilter name=overlay ! appsink name=out")
        stream.overlay.show([try stream.whiteRectangle(0.25, 0.25, 0.5, 0.5)])
        _ = try #require(try await stream.luma { $0[80, 60] > 200 })
        try stream.pipeline.element(named: "size").set("caps", to: Caps("video/x-raw,width=90,height=50"))
        let frame = try #require(try await stream.luma { $0.info.width == 90 && $0[45, 25] > 200 })
        #expect(frame[45, 25] == 235)
        #expect(frame[2, 2] == 16)
        try await stream.stop()
    }

    @Test func `An overlay on mirrored frames mirrors ghosts, and no other layer`() async throws {
        let picture = try ScratchFile(".png", "")
        let maker = try Pipeline(
            "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=RGB,width=80,height=120 "
                + "! videobox right=-80 fill=black ! pngenc ! filesink location=\(picture.path)")
        let messages = maker.bus.messages()
        try await maker.play()
        for await message in messages { if case .endOfStream = message.content { break } }
        try await maker.stop()

        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! capsfilter name=overlay ! appsink name=out")
        var look = Style()
        look.opacity = 1
        let ghost = Layer("before", .ghost(path: picture.path), Placement(), look)
        stream.overlay.show([ghost, try stream.whiteRectangle(0.25, 0.25, 0.1, 0.1)])
        _ = try #require(try await stream.luma { $0[20, 60] > 200 && $0[140, 60] < 20 })
        stream.overlay.mirror(true)
        let frame = try #require(try await stream.luma { $0[140, 60] > 200 && $0[5, 60] < 20 })
        #expect(frame[48, 36] > 200)
        stream.overlay.show([ghost], ["any": "value"])
        _ = try #require(try await stream.luma { $0[48, 36] < 20 && $0[140, 60] > 200 })
        stream.overlay.mirror(false)
        _ = try #require(try await stream.luma { $0[20, 60] > 200 && $0[140, 60] < 20 })
        try await stream.stop()
    }

    @Test func `An overlay does not change a frame that another element holds`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! tee name=t ! queue ! appsink name=clean sync=false max-buffers=1 drop=true "
                + "t. ! queue ! capsfilter name=overlay ! appsink name=out")
        let clean = try AppSink(named: "clean", in: stream.pipeline, .keepNewest(1))
        stream.overlay.show([try stream.whiteRectangle(0, 0, 1, 1)])
        _ = try #require(try await stream.luma { $0[80, 60] > 200 })
        for _ in 0..<20 {
            let frame = try Luma(try #require(try await clean.nextSample()))
            #expect(frame[80, 60] == 16)
        }
        try await stream.stop()
    }

    @Test func `A layer that fails keeps its last drawing and emits one error, and other layers are drawn`()
        async throws
    {
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! capsfilter name=overlay ! appsink name=out")
        let good = try stream.whiteRectangle(0, 0, 0.5, 1)
        stream.overlay.show([good])
        _ = try #require(try await stream.luma { $0[20, 60] > 200 })
        var broken = good
        broken.content = .outline(Outline(name: "none", path: "/nowhere/at-all.svg"))
        var other = try stream.whiteRectangle(0.5, 0, 0.5, 1)
        other.name = "other"
        stream.overlay.show([broken, other])
        let frame = try #require(try await stream.luma { $0[140, 60] > 200 })
        #expect(frame[20, 60] == 235)
        var failures: [String: OverlayError] = [:]
        while failures.isEmpty { failures = await stream.drawn() }
        #expect(failures["rectangle"]?.code == .noInput)
        #expect(failures["rectangle"]?.subject == "/nowhere/at-all.svg")
        stream.overlay.show([broken, other])
        #expect(await stream.drawn().isEmpty)
        try await stream.stop()
    }

    @Test func `An overlay emits a drawn event only for the layers that were shown last`() async throws {
        let rasterizer = GatedRasterizer()
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! capsfilter name=overlay ! appsink name=out", rasterizer)
        func missing(_ name: String) -> Layer { Layer(name, .ghost(path: "/nowhere/at-all.jpg")) }
        stream.overlay.show([Layer("text", .text(TextTemplate("a"))), missing("first")])
        await rasterizer.waitUntilRequested()
        stream.overlay.show([missing("second")])
        rasterizer.open()
        // A plan emits the errors of its layers, and then the drawn event.
        var failures: [String] = []
        for await event in stream.overlay.events {
            if case .failed(let layer, _) = event { failures.append(layer) }
            if case .drawn = event, !failures.isEmpty { break }
        }
        #expect(failures == ["first", "second"])
        try await stream.stop()
    }

    @Test func `A closed overlay has ended its drawing, and emits no more events`() async throws {
        let rasterizer = GatedRasterizer()
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! capsfilter name=overlay ! appsink name=out", rasterizer)
        stream.overlay.show([Layer("text", .text(TextTemplate("a")))])
        await rasterizer.waitUntilRequested()
        async let closing: Void = stream.overlay.close()
        rasterizer.open()
        await closing
        #expect(!rasterizer.isDrawing)
        for await _ in stream.overlay.events {}
        try await stream.stop()
    }

    @Test func `A text with the time changes as time passes`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=320,height=120 ! capsfilter name=overlay ! appsink name=out")
        stream.overlay.show([Layer("clock", .text(TextTemplate("%S")), Placement(position: .center, size: 0.8))])
        await stream.drawn()
        let first = try #require(try await stream.luma { $0.brightPixels > 0 })
        let second = try await stream.luma { $0.brightPixels > 0 && $0.brightPixels != first.brightPixels }
        #expect(second != nil)
        try await stream.stop()
    }

    @Test func `A text changes with the values of its placeholders`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=320,height=120 ! capsfilter name=overlay ! appsink name=out")
        stream.overlay.set(["countdown": ""])
        stream.overlay.show([
            Layer("digits", .text(TextTemplate("{countdown}")), Placement(position: .center, size: 0.8))
        ])
        await stream.drawn()
        #expect(try await stream.luma { _ in true }?.brightPixels == 0)
        stream.overlay.set(["countdown": "3"])
        #expect(try await stream.luma { $0.brightPixels > 0 } != nil)
        try await stream.stop()
    }

    @Test func `An overlay changes no frame after detach, and leaves no probe on the pad`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! capsfilter name=overlay ! appsink name=out")
        stream.overlay.show([try stream.whiteRectangle(0, 0, 1, 1)])
        _ = try #require(try await stream.luma { $0[80, 60] > 200 })
        let pad = try #require(try stream.pipeline.element(named: "overlay").pad("src"))
        #expect(pad.probeCount == 2)
        stream.overlay.detach()
        #expect(pad.probeCount == 0)
        #expect(try await stream.luma { $0[80, 60] == 16 } != nil)
        try await stream.stop()
    }

    @Test func `An overlay emits an error for a format on which it cannot draw, and the frames pass`() async throws {
        let stream = try await OverlaidStream(
            "videotestsrc is-live=true pattern=black ! video/x-raw,format=GRAY16_LE,width=160,height=120 "
                + "! capsfilter name=overlay ! appsink name=out")
        stream.overlay.show([try stream.whiteRectangle(0, 0, 1, 1)])
        #expect(await stream.failure()?.code == .format)
        #expect(try await stream.luma { _ in true } != nil)
        try await stream.stop()
    }

    @Test func `An overlay emits an error for compressed frames`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! jpegenc ! capsfilter name=overlay ! appsink name=out")
        stream.overlay.show([try stream.whiteRectangle(0, 0, 1, 1)])
        let failure = await stream.failure()
        #expect(failure?.code == .format)
        #expect(failure?.message.contains("image/jpeg") == true)
        try await stream.stop()
    }

    @Test func `An overlay that many tasks attach at once draws on no pad after it is detached`() async throws {
        let stream = try await OverlaidStream(
            "\(Self.black),width=160,height=120 ! tee name=t ! queue ! videoconvert ! capsfilter name=other "
                + "! appsink name=second t. ! queue ! videoconvert ! capsfilter name=overlay ! appsink name=out")
        let second = try AppSink(named: "second", in: stream.pipeline, .keepNewest(1))
        stream.overlay.show([try stream.whiteRectangle(0, 0, 1, 1)])
        _ = try #require(try await stream.luma { $0[80, 60] > 200 })
        let pads = try ["overlay", "other"].map {
            try #require(try stream.pipeline.element(named: $0).pad("src"))
        }
        for _ in 0..<1000 {
            try await withThrowingTaskGroup { group in
                for index in 0..<8 { group.addTask { try stream.overlay.attach(to: pads[index % 2]) } }
                try await group.waitForAll()
            }
        }
        stream.overlay.detach()
        #expect(try await stream.luma { $0[80, 60] == 16 } != nil)
        var isClean = false
        for _ in 0..<3000 where !isClean {
            guard let sample = try await second.nextSample() else { break }
            isClean = try Luma(sample)[80, 60] == 16
        }
        #expect(isClean)
        try await stream.stop()
    }
}

extension Luma {
    var brightPixels: Int {
        (0..<info.height).reduce(0) { sum, y in sum + (0..<info.width).count { self[$0, y] > 128 } }
    }
}

extension Pad {
    /// The number of probes on this pad (`num_probes`).
    fileprivate var probeCount: Int { Int(pointer.assumingMemoryBound(to: GstPad.self).pointee.num_probes) }
}
