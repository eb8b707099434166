// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import PipelineKit

@Suite("Bus", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct BusTests {
    @Test("An error on the bus has its source, message, domain, number and details")
    func error() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        try pipeline.element(named: "source").postError("no good")
        for await message in pipeline.bus.messages() {
            guard case .error(let error) = message.content else { continue }
            #expect(message.source == "source")
            #expect(error.code == .stream)
            #expect(error.element == "source")
            #expect(error.message == "no good")
            #expect(error.domain == "gst-stream-error-quark")
            #expect(error.number == 7)
            #expect(error.debug?.contains("file.c(12): function") == true)
            #expect(error.description == "source: no good")
            break
        }
    }

    @Test("Each kind of bus message is delivered as that kind")
    func kinds() async throws {
        let pipeline = try Pipeline("videotestsrc name=source num-buffers=2 ! fakesink sync=false")
        let names = Log<String>()
        let messages = pipeline.bus.messages()
        let listening = Task { for await message in messages { names.append(message.label) } }
        try await playing(pipeline) { pipeline in
            try pipeline.element(named: "source").post("own-message, n=(int)1")
            await names.waiting { $0.contains("end") && $0.contains("element own-message") }
        }
        await listening.value
        for kind in [
            "async-done", "stream-start", "end", "element own-message", "state ready paused",
            "other stream-status", "state paused playing",
        ] {
            #expect(names.items.contains(kind), "\(kind)")
        }
    }

    @Test("Messages from before the first listener are kept for it, in order")
    func early() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let source = try pipeline.element(named: "source")
        for number in 0..<3 { source.post("early, n=(int)\(number)") }
        let (first, second) = (pipeline.bus.messages(), pipeline.bus.messages())
        source.post("late, n=(int)3")
        try await pipeline.stop()
        #expect(await numbers(first) == [0, 1, 2, 3])
        #expect(await numbers(second) == [3])
    }

    @Test("Messages of a released listener are dropped, and the next listener gets later messages")
    func leaving() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let source = try pipeline.element(named: "source")
        source.post("message, n=(int)0")
        for await message in pipeline.bus.messages() where message.label == "element message" { break }
        source.post("message, n=(int)1")
        let messages = pipeline.bus.messages()
        try await pipeline.stop()
        #expect(await numbers(messages) == [1])
    }

    @Test("A slow listener loses old messages, but no error and no end of stream")
    func slow() async throws {
        let pipeline = try Pipeline("fakesrc name=source num-buffers=1 ! fakesink")
        let (slow, quick) = (pipeline.bus.messages(bufferingNewest: 2), pipeline.bus.messages())
        let source = try pipeline.element(named: "source")
        source.postError("first")
        try await playing(pipeline) { _ in
            for await message in quick { if case .endOfStream = message.content { break } }
            for number in 0..<50 { source.post("chatter, n=(int)\(number)") }
        }
        var labels: [String] = []
        for await message in slow { labels.append(message.label) }
        #expect(labels.first == "error first")
        #expect(labels.contains("end"))
        #expect(labels.count <= 4)
    }

    @Test(
        "A flood of errors stays within the limit, and keeps the first error and the end of stream",
        arguments: [1, 4])
    func errors(limit: Int) async {
        let bus = Bus()
        let messages = bus.messages(bufferingNewest: limit)
        for number in 0..<50 { bus.post(BusMessage(.error(PipelineError(.stream, "\(number)")), source: "source")) }
        bus.post(BusMessage(.endOfStream, source: "sink"))
        for number in 50..<100 { bus.post(BusMessage(.error(PipelineError(.stream, "\(number)")), source: "source")) }
        bus.post(BusMessage(.asyncDone, source: "sink"))
        bus.close()
        var labels: [String] = []
        for await message in messages { labels.append(message.label) }
        #expect(labels.first == "error 0")
        #expect(labels.count { $0 == "end" } == 1)
        #expect(labels.count == max(limit, 2))
    }

    @Test("A stop ends every listener after its pending messages, and later listeners end at once")
    func ends() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let waiting = Task { [bus = pipeline.bus] in await numbers(bus.messages()) }
        await Task.yield()
        try await playing(pipeline) { pipeline in try pipeline.element(named: "source").post("m, n=(int)1") }
        #expect(await waiting.value == [1])
        #expect(await numbers(pipeline.bus.messages()) == [])
    }

    @Test("Canceling a listener ends this listener, and no other listener")
    func cancellation() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let (canceled, other) = (pipeline.bus.messages(), pipeline.bus.messages())
        let task = Task { await numbers(canceled) }
        task.cancel()
        #expect(await task.value == [])
        try pipeline.element(named: "source").post("m, n=(int)1")
        try await pipeline.stop()
        #expect(await numbers(other) == [1])
        #expect(await numbers(canceled) == [])
    }

    @Test("Messages after the cancellation of the only listener are kept for the next one")
    func afterCancellation() async throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let canceled = pipeline.bus.messages()
        let task = Task { await numbers(canceled) }
        task.cancel()
        #expect(await task.value == [])
        try pipeline.element(named: "source").post("m, n=(int)1")
        let next = pipeline.bus.messages()
        try await pipeline.stop()
        #expect(await numbers(next) == [1])
        // The test holds the canceled sequence until here: the cancellation ended it, not its release.
        #expect(await numbers(canceled) == [])
    }

    @Test("A listener of the bus may stop the pipeline")
    func stopsFromListener() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=2 ! fakesink sync=false")
        let listening = Task { [bus = pipeline.bus] in
            for await message in bus.messages() {
                if case .endOfStream = message.content { try await pipeline.stop() }
            }
        }
        try await pipeline.play()
        try await listening.value
        #expect(pipeline.state == .null)
    }

    private func numbers(_ messages: BusMessages) async -> [Int] {
        var numbers: [Int] = []
        for await message in messages {
            if case .element(let structure) = message.content, let number: Int = structure["n"] {
                numbers.append(number)
            }
        }
        return numbers
    }
}

extension BusMessage {
    fileprivate var label: String {
        switch content {
        case .error(let error): "error \(error.message)"
        case .endOfStream: "end"
        case .stateChanged(let from, let to, _): "state \(from) \(to)"
        case .asyncDone: "async-done"
        case .streamStart: "stream-start"
        case .element(let structure): "element \(structure.name)"
        case .other(let type, _): "other \(type)"
        default: "else"
        }
    }
}
