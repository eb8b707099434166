// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Glibc
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import ConnectionKit

@Suite("State of a connection")
struct ConnectionStateTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test("A connection without a request is closed in time")
    func silent() {
        var state = ConnectionState(at: start)
        #expect(state.isIdle && state.deadline == start + .seconds(10))
        #expect(state.expire(at: start + .seconds(9)) == .none)
        #expect(state.expire(at: start + .seconds(10)) == .close)
    }

    @Test("A response may take its time, and the next request has its own")
    func response() {
        var state = ConnectionState(at: start)
        state.receiveHead(at: start + .seconds(9))
        state.receiveEnd()
        #expect(!state.isIdle && state.deadline == nil)
        #expect(state.expire(at: start + .seconds(500)) == .none)
        state.sendEnd(at: start + .seconds(600))
        #expect(state.isIdle && state.deadline == start + .seconds(610))
    }

    @Test("A body that stops coming fails once, and the connection stays open for the response")
    func body() {
        var state = ConnectionState(at: start)
        state.receiveHead(at: start)
        state.receiveBody(at: start + .seconds(8))
        #expect(state.expire(at: start + .seconds(10)) == .none)
        #expect(state.expire(at: start + .seconds(18)) == .failBody)
        #expect(state.deadline == nil && state.expire(at: start + .seconds(99)) == .none)
    }

    @Test("A client that has sent its request may close its side, and gets the response")
    func halfClosed() {
        var state = ConnectionState(at: start)
        state.receiveHead(at: start)
        state.receiveEnd()
        #expect(state.closeInput() == .none)
    }

    @Test("A response without an end ends when the client closes its side, before or after it begins")
    func lasting() {
        var state = ConnectionState(at: start)
        state.receiveHead(at: start)
        state.receiveEnd()
        #expect(state.last() == .none && state.closeInput() == .close)
        state = ConnectionState(at: start)
        state.receiveHead(at: start)
        state.receiveEnd()
        #expect(state.closeInput() == .none && state.last() == .close)
    }

    @Test("Requests that follow one another keep a connection busy until the last response")
    func pipelined() {
        var state = ConnectionState(at: start)
        for _ in 0..<2 {
            state.receiveHead(at: start)
            state.receiveEnd()
        }
        state.sendEnd(at: start)
        #expect(!state.isIdle)
        state.sendEnd(at: start)
        #expect(state.isIdle)
    }
}

@Suite("Writes of a connection")
struct StalledWritesTests {
    private let start = NIODeadline.uptimeNanoseconds(1)

    @Test("A client that takes nothing for 30 seconds has stalled; one that takes a little has not")
    func stalled() {
        var writes = StalledWrites()
        #expect(writes.deadline == nil && !writes.isStalled(at: start + .hours(9)))
        writes.begin(at: start)
        writes.begin(at: start + .seconds(20))
        #expect(writes.deadline == start + .seconds(30))
        writes.complete(at: start + .seconds(29))
        #expect(!writes.isStalled(at: start + .seconds(58)) && writes.isStalled(at: start + .seconds(59)))
        writes.complete(at: start + .seconds(59))
        #expect(writes.deadline == nil)
        writes.begin(at: start + .seconds(100))
        #expect(!writes.isStalled(at: start + .seconds(129)))
    }
}

@Suite("Handlers of a connection")
struct ConnectionHandlerTests {
    @Test("A target that is no path loses its host")
    func target() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ConnectionHandler(at: channel.eventLoop.now) { _ in })
        for (target, seen) in [("/a", "/a"), ("http://other.example/a", "*"), ("*", "*")] {
            try channel.writeInbound(
                HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: target)))
            guard case .head(let head) = try channel.readInbound(as: HTTPServerRequestPart.self) else {
                Issue.record("no head")
                continue
            }
            #expect(head.uri == seen)
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("A client that does not read is disconnected after 30 seconds")
    func stalled() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(StalledWriteHandler())
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
        // Without a flush, the write stays pending.
        channel.write(ByteBuffer(string: "a"), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("A listener that cannot open a connection pauses, and its error ends nothing")
    func accept() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(AcceptHandler(.init(label: "gst-capture.test")))
        for _ in 0..<3 { channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept")) }
        // Throws an error that no handler has consumed.
        try channel.throwIfErrorCaught()
        #expect(channel.autoReads == [false])
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(channel.autoReads == [true])
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        #expect(channel.autoReads == [false])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}

extension EmbeddedChannel {
    /// The values of the option `autoRead` that were set.
    fileprivate var autoReads: [Bool] {
        options.compactMap { $0.option is ChannelOptions.Types.AutoReadOption ? $0.value as? Bool : nil }
    }
}
#endif
