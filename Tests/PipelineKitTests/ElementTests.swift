// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
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

    @Test func `A name with a NUL is not read up to the NUL`() throws {
        #expect(failure { try Element.make("queue\0x") }?.code == .missingElement)
        #expect(failure { try Element.make("queue", name: "a\0b") }?.code == .missingElement)
        #expect(!GStreamer.hasElement("queue\0x"))
        let tee = try Element.make("tee")
        #expect(tee.pad("sink\0x") == nil)
        #expect(failure { try tee.requestPad("src_%u\0x") }?.code == .notFound)
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        #expect(failure { try pipeline.element(named: "source\0x") }?.code == .notFound)
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

    @Test func `An element that is removed and added again at once keeps running`() async throws {
        let pipeline = try Pipeline.make()
        let (busy, moved) = try (Element.make("identity"), Element.make("identity"))
        for element in [busy, moved] { try pipeline.add(element) }
        let (entered, gate) = (Log<Void>(), DispatchSemaphore(value: 0))
        try await playing(pipeline) { pipeline in
            // Blocks the queue on which a removed element is stopped.
            let handler = pipeline.bus.handleSynchronously { message, source in
                guard case .stateChanged = message.content, source == busy else { return }
                entered.append()
                gate.wait()
            }
            let changing = Task { try await pipeline.setState(of: busy, to: .paused) }
            await entered.first(1)
            pipeline.remove(moved)
            try pipeline.add(moved)
            #expect(moved.followPipeline())
            handler.remove()
            gate.signal()
            try await changing.value
            // This change comes after the stop on the queue.
            try await pipeline.setState(of: busy, to: .playing)
            #expect(moved.state == .playing)
        }
    }

    @Test func `An element that is removed is stopped`() async throws {
        let pipeline = try Pipeline.make()
        let (other, removed) = try (Element.make("identity"), Element.make("identity"))
        for element in [other, removed] { try pipeline.add(element) }
        try await playing(pipeline) { pipeline in
            pipeline.remove(removed)
            try await pipeline.setState(of: other, to: .playing)
            #expect(removed.state == .null)
        }
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

    @Test func `A state change throws if the element fails or is not in the pipeline`() async throws {
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

    @Test func `A failed state change throws the error of this change, and no earlier error`() async throws {
        let pipeline = try Pipeline("filesrc name=file location=/nonexistent/first ! fakesink name=sink")
        let (file, sink) = try (pipeline.element(named: "file"), pipeline.element(named: "sink"))
        sink.postError("of another element")
        for name in ["first", "second"] {
            try file.set("location", to: "/nonexistent/\(name)")
            let error = await failure { try await pipeline.setState(of: file, to: .paused) }
            #expect(error?.element == "file")
            #expect(error?.debug?.contains("/nonexistent/\(name)") == true)
        }
        #expect(pipeline.bus.firstError?.message == "of another element")
        try await pipeline.stop()
    }

    @Test func `A failed state change of a bin throws the error of the element inside it`() async throws {
        let pipeline = try Pipeline("( filesrc name=file location=/nonexistent ! fakesink )")
        let bin = try #require(try pipeline.element(named: "file").parent)
        #expect(await failure { try await pipeline.setState(of: bin, to: .paused) }?.element == "file")
        try await pipeline.stop()
    }
}
