// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Dispatch
import PipelineKit
import Synchronization
import Testing

/// Errors that weaker bindings of GStreamer make; each test shows the correct behavior.
@Suite("Pitfalls of a binding", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct PitfallTests {
    @Test("A probe that captures nothing runs")
    func probeWithoutContext() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=3 ! fakesink name=sink")
        try pipeline.sinkPad("sink").probeBuffers { _ in .drop }
        try await playing(pipeline) { try await $0.end() }
        #expect(try pipeline.element(named: "sink").get("stats", as: Structure.self)["rendered"] == 0)
    }

    @Test("A new element has one reference, which is not floating")
    func floating() throws {
        let element = try Element.make("fakesink")
        #expect(!element.isFloating)
        #expect(element.references == 1)
        let pipeline = try Pipeline.make()
        #expect(!pipeline.isFloating)
        #expect(pipeline.references == 1)
        try pipeline.add(element)
        #expect(element.references == 2)
        pipeline.remove(element)
        #expect(try !Pipeline("fakesrc ! fakesink").isFloating)
        #expect(try Pipeline("fakesrc").references == 1)
    }

    @Test("A missing plugin and an unknown property throw")
    func throwing() throws {
        #expect(failure { try Element.make("nosuchthing") }?.code == .missingElement)
        #expect(failure { try Pipeline("fakesrc ! nosuchthing ! fakesink") }?.code == .missingElement)
        #expect(failure { try Pipeline("fakesrc no-such=1 ! fakesink") }?.code == .unknownProperty)
        #expect(failure { try Element.make("fakesrc").set("no-such", to: 1) }?.code == .unknownProperty)
        #expect(failure { try Element.make("fakesrc").value(of: "no-such") }?.code == .unknownProperty)
    }

    @Test("Writing to a frame that another owner holds leaves that owner's frame unchanged")
    func sharedFrame() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=GRAY8,width=16,height=8 ! appsink name=sink sync=false"
        )
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        let (info, held) = (try VideoInfo(format: "GRAY8", width: 16, height: 8), Log<Buffer>())
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            held.append(buffer.retained())
            try? buffer.withWritableVideoFrame(info) { frame in
                frame.withPlane(0) { bytes, _ in bytes.storeBytes(of: 255, as: UInt8.self) }
            }
            return .pass
        }
        try await playing(pipeline) { _ in
            let written = try await sink.nextSample()?.buffer?.bytes()
            #expect(written?.first == 255)
        }
        let before = try held.items.first?.bytes()
        #expect(before?.first == 16)
    }

    @Test(
        "Repeated reads of a narrow property return the same value",
        arguments: [
            ("videotestsrc", "is-live"), ("videotestsrc", "num-buffers"), ("appsink", "max-buffers"),
            ("queue", "max-size-time"), ("identity", "drop-probability"), ("videotestsrc", "pattern"),
        ])
    func widths(factory: String, property: String) throws {
        let element = try Element.make(factory)
        let values = try (0..<100).map { _ in try element.value(of: property) }
        #expect(Set(values).count == 1)
        #expect(values.first != .null)
    }

    @Test("Waiting for samples and messages blocks no cooperative thread")
    func waiting() async throws {
        let pipeline = try Pipeline("appsrc ! tee name=t")
        let tee = try pipeline.element(named: "t")
        var sinks: [AppSink] = []
        for number in 0..<64 {
            let element = try Element.make("appsink", name: "sink\(number)")
            try pipeline.add(element)
            try tee.link(to: element)
            sinks.append(try AppSink(named: element.name, in: pipeline, .keepNewest()))
        }
        try await pipeline.play()
        try await withThrowingTaskGroup { group in
            for sink in sinks { group.addTask { _ = try await sink.nextSample() } }
            for _ in 0..<64 { group.addTask { [bus = pipeline.bus] in for await _ in bus.messages() {} } }
            // There are far fewer threads than waiting tasks, and this one still runs and ends them all.
            group.addTask { try await pipeline.stop() }
            try await group.waitForAll()
        }
    }

    @Test("The size of a frame follows the stream, not the caps of the description")
    func renegotiation() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=sink sync=false")
        let source = try AppSource(named: "source", in: pipeline)
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        try await playing(pipeline) { _ in
            for width in [32, 64, 16] {
                let info = try VideoInfo(format: "BGRx", width: width, height: 4)
                try source.push(Sample(Buffer(Array(repeating: 0, count: info.byteCount)), caps: info.caps))
                #expect(try await sink.nextSample()?.caps?.videoInfo?.width == width)
            }
        }
    }

    @Test("An error keeps its domain, its number, its source and the details")
    func errors() async throws {
        let pipeline = try Pipeline("filesrc location=/nonexistent name=file ! fakesink")
        let error = try #require(await failure { try await pipeline.play() })
        #expect(error.domain == "gst-resource-error-quark")
        #expect(error.number == Int(GST_RESOURCE_ERROR_NOT_FOUND.rawValue))
        #expect(error.isResource(GST_RESOURCE_ERROR_NOT_FOUND))
        #expect(error.element == "file")
        #expect(error.debug?.contains("gstfilesrc.c") == true)
        try await pipeline.stop()
    }

    @Test("The last handle can be released on the pipeline's own streaming thread")
    func lastHandle() async throws {
        let released = Log<Void>()
        let last = Handle(try Pipeline("videotestsrc ! fakesink name=sink"))
        try watch(last, Token(released: released))
        try await last.play()
        last.mayGo.signal()
        await released.first(1)
    }

    private func watch(_ last: Handle, _ token: Token) throws {
        try last.pipeline.withLock { $0 }?.sinkPad("sink").probeBuffers { _ in
            token.touch()
            last.mayGo.wait()
            last.pipeline.withLock { $0 = nil }
            return .remove
        }
    }

    private final class Handle: Sendable {
        let pipeline: Mutex<Pipeline?>
        let mayGo = DispatchSemaphore(value: 0)

        init(_ pipeline: Pipeline) { self.pipeline = Mutex(pipeline) }

        func play() async throws { try await pipeline.withLock { $0 }?.play() }
    }
}

extension Object {
    fileprivate var isFloating: Bool { g_object_is_floating(pointer) != 0 }
    fileprivate var references: Int { Int(cgst_object_reference_count(pointer)) }
}
