// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `Elements of a pipeline` {
    @Test func `An element lists its pads, and those that were requested`() throws {
        let tee = try Element.make("tee")
        #expect(tee.pads.map(\.name) == ["sink"])
        let pad = try tee.requestPad("src_%u")
        #expect(Set(tee.pads.map(\.name)) == ["sink", "src_0"])
        #expect(tee.pads.contains(pad))
        tee.release(pad)
        #expect(tee.pads.map(\.name) == ["sink"])
    }

    @Test func `A pipeline lists its elements, and those of its bins`() throws {
        let pipeline = try Pipeline("videotestsrc name=source ! decodebin name=decoder")
        #expect(Set(pipeline.children.map(\.name)) == ["source", "decoder"])
        let decoder = try pipeline.element(named: "decoder")
        let inside = decoder.children
        #expect(inside.contains { $0.factoryName == "typefind" })
        #expect(Set(pipeline.descendants) == Set(pipeline.children + inside))
        #expect(try pipeline.element(named: "source").children.isEmpty)
        #expect(try pipeline.element(named: "source").descendants.isEmpty)
        #expect(try Pipeline.make().children.isEmpty)
    }

    @Test func `An element knows the bin that contains it`() throws {
        let pipeline = try Pipeline("videotestsrc name=source ! decodebin name=decoder")
        let decoder = try pipeline.element(named: "decoder")
        #expect(decoder.parent == pipeline)
        #expect(decoder.children.first?.parent == decoder)
        #expect(pipeline.parent == nil)
        #expect(try Element.make("fakesink").parent == nil)
    }

    @Test func `Elements can be listed while others are added and removed`() async throws {
        let pipeline = try Pipeline.make()
        let changing = Task {
            for _ in 0..<200 {
                let element = try Element.make("identity")
                try pipeline.add(element)
                pipeline.remove(element)
            }
        }
        for _ in 0..<200 { #expect(pipeline.children.count <= 1) }
        try await changing.value
        #expect(pipeline.children.isEmpty)
    }

    @Test func `An element has a state, and a pending one while it waits for data`() async throws {
        let pipeline = try Pipeline("appsrc name=source ! fakesink name=sink")
        let (source, sink) = try (pipeline.element(named: "source"), pipeline.element(named: "sink"))
        #expect(sink.state == .null)
        #expect(sink.pendingState == nil)
        try await pipeline.pause()
        #expect(source.state == .paused)
        #expect(sink.state == .ready)
        #expect(sink.pendingState == .paused)
        try await pipeline.stop()
        #expect(sink.state == .null)
        #expect(sink.pendingState == nil)
    }

    @Test func `The state of one element changes without the others`() async throws {
        let pipeline = try Pipeline("videotestsrc name=source is-live=true ! fakesink name=sink async=false")
        let (source, sink) = try (pipeline.element(named: "source"), pipeline.element(named: "sink"))
        try await playing(pipeline) { pipeline in
            try await pipeline.setState(of: source, to: .ready)
            #expect(source.state == .ready)
            #expect(sink.state == .playing)
            try await pipeline.setState(of: source, to: .playing)
            #expect(source.state == .playing)
        }
        let stopped = await failure { try await pipeline.setState(of: source, to: .playing) }
        #expect(stopped?.code == .stateChange)
        #expect(source.state == .null)
    }

    @Test func `A change of an element that fails, or that is elsewhere, throws`() async throws {
        let pipeline = try Pipeline("filesrc name=file location=/nonexistent ! fakesink")
        let file = try pipeline.element(named: "file")
        let error = await failure { try await pipeline.setState(of: file, to: .paused) }
        #expect(error?.element == "file")
        #expect(error?.domain == "gst-resource-error-quark")
        let other = try Element.make("fakesink", name: "other")
        #expect(await failure { try await pipeline.setState(of: other, to: .ready) }?.code == .notFound)
        #expect(await failure { try await pipeline.setState(of: pipeline, to: .ready) }?.code == .notFound)
        try await pipeline.stop()
    }
}
