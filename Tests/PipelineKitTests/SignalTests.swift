// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import PipelineKit
import Testing

@Suite("Signals", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct SignalTests {
    @Test("A signal handler gets each emission with its arguments")
    func handoff() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=3 sizetype=fixed sizemax=16 ! identity name=i ! fakesink")
        let buffers = Log<Value>()
        try pipeline.element(named: "i").connect("handoff") { arguments in
            buffers.append(contentsOf: arguments)
            return nil
        }
        try await playing(pipeline) { try await $0.end() }
        let counts = buffers.items.map { if case .buffer(let buffer) = $0 { buffer.count } else { -1 } }
        #expect(counts == [16, 16, 16])
    }

    @Test("An unknown signal, and arguments of wrong number or type, throw")
    func errors() throws {
        let sink = try Element.make("appsink")
        #expect(failure { try sink.connect("no-such-signal") { _ in nil } }?.code == .signal)
        #expect(failure { try sink.connect("") { _ in nil } }?.code == .signal)
        #expect(failure { try sink.connect("new-sample::detail") { _ in nil } }?.code == .signal)
        #expect(failure { try sink.emit("no-such-signal") }?.code == .signal)
        #expect(failure { try sink.emit("try-pull-sample") }?.code == .signal)
        #expect(failure { try sink.emit("try-pull-sample", .string("soon")) }?.code == .signal)
        #expect(failure { try sink.emit("pull-sample", .uint(1)) }?.code == .signal)
        #expect(failure { try sink.emit("pull-sample", .uint(1)) }?.element == sink.name)
    }

    @Test("A signal action takes arguments and returns a sample, or null if there is none")
    func pullSample() async throws {
        let description = "videotestsrc num-buffers=1 ! video/x-raw,width=16,height=8 ! appsink name=sink sync=false"
        try await playing(description) { pipeline in
            let sink = try pipeline.element(named: "sink")
            guard case .sample(let sample) = try sink.emit("pull-sample") else {
                Issue.record("no sample")
                return
            }
            #expect(sample.caps?.videoInfo?.width == 16)
            #expect(try sink.emit("try-pull-sample", .uint(0)) == .null)
        }
    }

    @Test("The result of a signal handler is the result of the signal")
    func results() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=1 ! appsink name=sink emit-signals=true sync=false")
        let sink = try pipeline.element(named: "sink")
        let seen = Log<Void>()
        try sink.connect("new-sample") { [weak sink] _ in
            _ = try? sink?.emit("pull-sample")
            seen.append()
            // GST_FLOW_ERROR: the sink stops the stream.
            return .int(-5)
        }
        let error = await failure { try await playing(pipeline) { try await $0.end() } }
        #expect(error?.code == .stream)
        #expect(seen.items.count == 1)
    }

    @Test("A change of a property emits a signal with the name of the property")
    func notify() throws {
        let source = try Element.make("videotestsrc")
        let (patterns, all) = (Log<Value>(), Log<Value>())
        try source.connect("notify::pattern") { arguments in
            patterns.append(contentsOf: arguments)
            return nil
        }
        try source.connect("notify") { arguments in
            all.append(contentsOf: arguments)
            return nil
        }
        try source.set("pattern", to: "snow")
        try source.set("num-buffers", to: 1)
        #expect(patterns.items == [.string("pattern")])
        #expect(all.items == [.string("pattern"), .string("num-buffers")])
    }

    @Test("A disconnected signal handler does not run again and is released, and disconnecting again does nothing")
    func disconnect() async throws {
        let source = try Element.make("videotestsrc")
        let (calls, released) = (Log<Void>(), Log<Void>())
        let connection = try connect(source, calls, Token(released: released))
        try source.set("pattern", to: 1)
        #expect(released.items.isEmpty)
        connection.disconnect()
        #expect(released.items.count == 1)
        connection.disconnect()
        try source.set("pattern", to: 2)
        #expect(calls.items.count == 1)
    }

    @Test("Signal handlers that many threads disconnect at once are released once")
    func disconnectConcurrently() throws {
        let source = try Element.make("videotestsrc")
        let released = Log<Void>()
        let connections = try (0..<5000).map { _ in try connect(source, Log(), Token(released: released)) }
        // Each thread takes the connections in the same order, so they meet at many of them.
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for connection in connections { connection.disconnect() }
        }
        #expect(released.items.count == 5000)
    }

    @Test("The end of an object releases its signal handlers; disconnecting afterward does nothing")
    func endOfObject() throws {
        let (calls, released) = (Log<Void>(), Log<Void>())
        var source: Element? = try Element.make("videotestsrc")
        let connection = try connect(source!, calls, Token(released: released))
        source = nil
        #expect(released.items.count == 1)
        connection.disconnect()
    }

    private func connect(_ element: Element, _ calls: Log<Void>, _ token: Token) throws -> SignalConnection {
        try element.connect("notify::pattern") { _ in
            token.touch()
            calls.append()
            return nil
        }
    }
}
