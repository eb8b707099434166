// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit
import Testing

/// Parts of the library, each used from beginning to end.
enum LeakScenarios {
    static func leakElementAndCaps() throws {
        let sink = try Element.make("fakesink")
        g_object_ref(sink.pointer)
        _ = gst_caps_from_string("x/leaked")
    }

    static func parsing() throws {
        for description in [
            "videotestsrc ! nosuchsink", "videotestsrc ! audioconvert ! fakesink",
            "videotestsrc colour=1 ! fakesink", "videotestsrc pattern=x ! fakesink", "videotestsrc !", "",
            "fakesrc ! nowhere. fakesink",
        ] {
            _ = failure { try Pipeline(description) }
        }
        _ = try Pipeline("fakesrc")
        _ = try Pipeline("( fakesrc ! fakesink )")
        _ = try Pipeline("fakesrc ! fakesink fakesrc ! fakesink")
    }

    static func building() throws {
        let pipeline = try Pipeline.make(name: "p")
        let (source, tee, sink) = try (Element.make("fakesrc"), Element.make("tee"), Element.make("fakesink"))
        for element in [source, tee, sink] { try pipeline.add(element) }
        try source.link(to: tee)
        try tee.link(to: sink, caps: Caps("ANY"))
        _ = failure { try pipeline.add(sink) }
        let pad = try tee.requestPad("src_%u")
        try pad.link(to: #require(Element.make("fakesink").pad("sink")))
        _ = (pad.peer?.element, pad.allowedCaps, pad.currentCaps, pad.element?.factoryName)
        _ = (tee.pads, tee.parent, pipeline.children, pipeline.descendants, pipeline.graph())
        _ = (tee.position, tee.duration, tee.latency, tee.seekableRange)
        tee.release(pad)
        pipeline.remove(sink)
        _ = try pipeline.element(named: source.name)
        _ = try Element.make("fakesink")
    }

    static func properties() throws {
        for factory in ["videotestsrc", "appsink", "queue", "playbin", "capsfilter"] {
            let element = try Element.make(factory)
            for property in element.properties where property.isReadable { _ = try element.value(of: property.name) }
        }
        let playbin = try Element.make("playbin")
        try playbin.set("video-sink", to: Element.make("fakesink"))
        _ = try playbin.get("video-sink", as: Element.self)
        let filter = try Element.make("capsfilter")
        try filter.set("caps", to: "video/x-raw,format={I420,NV12}")
        try filter.set("caps", to: Caps("image/jpeg"))
        _ = failure { try filter.set("caps", to: "no caps") }
        let structure = try Structure("s", ["caps": .caps(filter.get("caps")), "list": .list([.int(1), .int(2)])])
        _ = try Structure(parsing: structure.description)
        _ = try Caps("video/x-raw,width=[1,5]").intersection(Caps("video/x-raw,width=3")).structures
        _ = try VideoInfo(format: "I420", width: 5, height: 5).caps
        let features = try CapsFeatures(["memory:DMABuf"])
        _ = try Caps("video/x-raw; image/jpeg").with(features).features
        _ = try (Caps("EMPTY").with(features), Caps("x/y").with(.any).features)
    }

    static func signals() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=3 ! identity name=i ! appsink name=sink sync=false")
        let (identity, sink) = try (pipeline.element(named: "i"), pipeline.element(named: "sink"))
        let seen = Log<Value>()
        try identity.connect("handoff") { arguments in
            seen.append(contentsOf: arguments)
            return nil
        }
        try identity.connect("notify") { _ in nil }.disconnect()
        try await playing(pipeline) { _ in
            while case .sample(let sample) = try sink.emit("pull-sample") { _ = sample.caps }
        }
        _ = failure { try sink.emit("try-pull-sample", .string("x")) }
    }

    /// Handlers of an element that hold readers of its pipeline, whose bus has no listener.
    static func handlersWithReaders() async throws {
        let pipeline = try Pipeline(
            "appsrc name=source ! tee name=t ! queue ! appsink name=a t. ! queue ! appsink name=b")
        let source = try AppSource(named: "source", in: pipeline, caps: Caps("x/y"))
        let sink = try AppSink(named: "a", in: pipeline, .waitWhenHolding(1))
        let branch = try FrameOutlet(named: "b", in: pipeline).branch()
        try source.element.connect("need-data") { _ in
            withExtendedLifetime((sink, branch)) { nil }
        }
        try await playing(pipeline) { _ in
            try source.push(Buffer([1]))
            _ = (try await sink.nextSample(), try await branch.nextSample())
        }
    }

    static func probes() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=6 ! tee name=t ! queue ! fakesink name=a sync=false t. ! queue ! fakesink name=b")
        let kept = Log<Buffer>()
        let number = Log<Void>()
        let other = try Buffer(Array(repeating: 0, count: 320 * 240 * 4))
        try pipeline.sinkPad("a").probeBuffers { buffer in
            number.append()
            switch number.items.count {
            case 1: kept.append(buffer.retained())
            case 2: buffer.replace(with: other)
            case 3: return .drop
            case 5: return .remove
            default: break
            }
            return .pass
        }
        try pipeline.sinkPad("b").probeEvents { event in
            if case .caps(let caps) = event { _ = caps.videoInfo }
            return .pass
        }
        try pipeline.sinkPad("b").probeBuffers { _ in .pass }.remove()
        let block = try pipeline.sinkPad("a").block(at: .buffer)
        try pipeline.sinkPad("a").whenIdle {}
        _ = try pipeline.sinkPad("b").block()
        block.end()
        try await playing(pipeline) { try await $0.end() }
    }

    static func frames() async throws {
        let pipeline = try Pipeline(
            """
            videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=33,height=17 ! tee name=t
            t. ! queue ! fakesink name=written sync=false t. ! queue ! fakesink name=read sync=false
            """)
        let info = try VideoInfo(format: "I420", width: 33, height: 17)
        let wrong = try VideoInfo(format: "I420", width: 330, height: 170)
        try pipeline.sinkPad("written").probeBuffers { buffer in
            try? buffer.withWritableVideoFrame(info) { _ = $0.withPlane(1) { _, _ in } }
            try? buffer.withWritableVideoFrame(wrong) { _ in }
            return .pass
        }
        try pipeline.sinkPad("read").probeBuffers { buffer in
            try? buffer.withVideoFrame(info) { _ = $0.withPlane(1) { _, _ in } }
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
    }

    static func samples() async throws {
        let pipeline = try Pipeline("videotestsrc ! tee name=t ! queue ! appsink name=a t. ! queue ! appsink name=b")
        let newest = try AppSink(named: "a", in: pipeline, .keepNewest(2))
        let every = try AppSink(named: "b", in: pipeline, .waitWhenHolding(2))
        try await playing(pipeline) { _ in
            for _ in 0..<3 {
                let sample = try await every.nextSample()
                _ = try sample?.buffer?.bytes()
                _ = (try await newest.nextSample(), sample?.caps?.videoInfo, sample?.runningTime)
            }
        }
        _ = try await every.nextSample()
    }

    static func pushing() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=sink sync=false")
        let source = try AppSource(named: "source", in: pipeline, caps: Caps("x/y"))
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        let buffer = try Buffer([1, 2, 3])
        try await playing(pipeline) { _ in
            try source.push(buffer)
            try source.push(Sample(buffer, caps: Caps("x/z")))
            _ = (try await sink.nextSample(), try await sink.nextSample())
            for _ in 0..<5 { try source.push(buffer) }
            _ = try await source.waitForDemand()
        }
        _ = failure { try source.push(buffer) }
        _ = failure { try source.push(Sample(buffer, caps: Caps("x/z"))) }
    }

    static func bridging() async throws {
        let far = try Pipeline("appsrc name=source is-live=true ! appsink name=sink sync=false")
        let source = try AppSource(named: "source", in: far)
        let sink = try AppSink(named: "sink", in: far, .waitWhenHolding(1))
        try await playing(far) { _ in
            for _ in 0..<2 {
                let near = try Pipeline("videotestsrc num-buffers=5 ! appsink name=tap sync=false")
                let bridge = try FrameBridge(from: "tap", in: near, to: source)
                try await playing(near) { try await $0.end() }
                bridge.close()
                _ = try await sink.nextSample()
            }
        }
        _ = failure { try FrameBridge(from: "sink", in: Pipeline("fakesrc ! fakesink name=sink"), to: source) }
    }

    static func bus() async throws {
        let pipeline = try Pipeline("videotestsrc name=source num-buffers=2 ! fakesink sync=false")
        let (listened, ignored) = (pipeline.bus.messages(), pipeline.bus.messages(bufferingNewest: 3))
        let handled = Log<Object?>()
        pipeline.bus.handleSynchronously { _, source in handled.append(source) }.remove()
        pipeline.bus.handleSynchronously { message, source in
            guard case .needContext(let type) = message.content, let element = source as? Element else { return }
            if let context = try? ElementContext(type, ["n": .int(1)], isPersistent: false) {
                element.setContext(context)
            }
        }
        _ = failure { try ElementContext("t", ["": .int(1)]) }
        let source = try pipeline.element(named: "source")
        source.post { gst_message_new_need_context($0, "test.context") }
        source.post { gst_message_new_tag($0, gst_tag_list_new_from_string("taglist, title=(string)x")) }
        _ = source.context("test.context")?.structure
        try pipeline.element(named: "source").postError("early")
        try await playing(pipeline) { pipeline in
            for await message in listened { if case .endOfStream = message.content { break } }
            try await pipeline.sendEndOfStream()
            pipeline.recalculateLatency()
        }
        _ = ignored
        // This bus has no listener. A released bin must not get a message: its bus does not know that the bin has
        // ended.
        let unheard = try Pipeline("fakesrc name=source")
        try unheard.element(named: "source").postError("unheard")
        withExtendedLifetime(unheard) {}
    }

    static func failing() async throws {
        _ = await failure { try await Pipeline("v4l2src device=/dev/nonexistent ! fakesink").play() }
        let pipeline = try Pipeline("filesrc location=/nonexistent ! fakesink")
        _ = await failure { try await pipeline.play() }
        try await pipeline.stop()
        _ = await failure { try await pipeline.play() }
        _ = await failure { try await Pipeline("appsrc ! fakesink").sendEndOfStream(deadline: .zero) }
    }

    static func releasing() async throws {
        for _ in 0..<5 {
            let pipeline = try Pipeline("videotestsrc ! fakesink name=sink")
            let frames = Log<Void>()
            try pipeline.sinkPad("sink").probeBuffers { [weak pipeline] _ in
                frames.append()
                if frames.items.count > 2 { pipeline?.stopSoon() }
                return .pass
            }
            try await pipeline.play()
            await frames.first(1)
        }
    }

    static func devices() async throws {
        let monitor = try DeviceMonitor(caps: Caps("video/x-raw"))
        for device in try await monitor.devices() { _ = (device.caps, device.details, try device.makeElement()) }
        try await monitor.start()
        _ = try await monitor.devices()
        try await monitor.stop()
        try await DeviceMonitor().start()
    }
}
