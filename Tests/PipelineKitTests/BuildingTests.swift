// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Building pipelines from elements", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct BuildingTests {
    @Test("Elements that were made, added and linked run to the end of the stream")
    func run() async throws {
        let pipeline = try Pipeline.make(name: "built")
        let (source, sink) = try (Element.make("videotestsrc", name: "source"), Element.make("fakesink"))
        try source.set("num-buffers", to: 3)
        try pipeline.add(source)
        try pipeline.add(sink)
        try source.link(to: sink, caps: Caps("video/x-raw,width=32,height=24"))
        #expect(pipeline.name == "built")
        #expect(try pipeline.element(named: "source") == source)
        try await playing(pipeline) { try await $0.end() }
        #expect(sink.pad("sink")?.currentCaps?.videoInfo == nil, "a stopped pad carries nothing")
    }

    @Test("A missing element throws with the package that has it")
    func missing() throws {
        let error = try #require(failure { try Element.make("libcamerasrc") })
        #expect(error.code == .missingElement)
        #expect(error.advice == "install gstreamer1.0-libcamera")
    }

    @Test("Adding an element twice, or a second one of the same name, throws")
    func addTwice() throws {
        let (pipeline, other) = try (Pipeline.make(), Pipeline.make())
        let element = try Element.make("identity", name: "one")
        try pipeline.add(element)
        #expect(failure { try other.add(element) }?.code == .link)
        #expect(
            failure { try pipeline.add(Element.make("identity", name: "one")) }?.code == .link)
    }

    @Test("Incompatible links throw, and so does a filter between elements without a pipeline")
    func linkErrors() throws {
        let (video, audio) = try (Element.make("videotestsrc"), Element.make("audioconvert"))
        let error = failure { try video.link(to: audio) }
        #expect(error?.code == .link)
        #expect(error?.element == video.name)
        let sink = try Element.make("fakesink")
        let loose = failure { try video.link(to: sink, caps: Caps("video/x-raw")) }
        #expect(loose?.code == .link)
        try video.link(to: sink)
        #expect(video.pad("src")?.peer?.element == sink)
        video.unlink(from: sink)
        #expect(video.pad("src")?.peer == nil)
    }

    @Test("Pads are requested from templates, and released")
    func requestPads() throws {
        let tee = try Element.make("tee")
        let pad = try tee.requestPad("src_%u")
        #expect(pad.name == "src_0")
        #expect(pad.direction == .source)
        #expect(pad.element == tee)
        tee.release(pad)
        #expect(tee.pad("src_0") == nil)
        #expect(failure { try tee.requestPad("nonsense_%u") }?.code == .notFound)
        try tee.release(Element.make("fakesink").pad("sink")!)
    }

    @Test("An element that is added to a running pipeline follows its state, and can be removed")
    func dynamic() async throws {
        try await playing("videotestsrc is-live=true ! tee name=t allow-not-linked=true") { pipeline in
            let tee = try pipeline.element(named: "t")
            let (branch, arrivals) = (try Element.make("fakesink"), Log<Void>())
            try branch.set("async", to: false)
            try pipeline.add(branch)
            let pad = try tee.requestPad("src_%u")
            try branch.pad("sink")!.probeBuffers { _ in
                arrivals.append()
                return .pass
            }
            #expect(branch.followPipeline())
            try pad.link(to: branch.pad("sink")!)
            await arrivals.first(2)
            pad.unlink(from: branch.pad("sink")!)
            tee.release(pad)
            pipeline.remove(branch)
        }
    }
}
