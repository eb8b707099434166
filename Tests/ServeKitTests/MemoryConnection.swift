// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ConnectionKit
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded

@testable import ServeKit

/// A connection of a client in memory: the bytes go through the channel handlers of the service, without a socket.
///
/// The product HummingbirdTesting is not used: it brings async-http-client and HTTP/2, whose compilation takes minutes.
final class MemoryConnection: Sendable {
    /// The channel, whose clock stands still unless a test advances it.
    let channel: NIOAsyncTestingChannel
    private let output: AsyncStream<ByteBuffer>
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - child: Creates the handlers of the connection.
    ///   - client: The address of the client; `nil` for a Unix socket.
    init(_ child: GuardedChannel<HTTP1Channel>, client: String?) async throws {
        let channel = NIOAsyncTestingChannel()
        channel.allowRemoteHalfClosure = true
        let peer = try client.map { try SocketAddress(ipAddress: $0, port: 40000) }
        let local = try client.map { _ in try SocketAddress(ipAddress: "192.0.2.1", port: 8080) }
        let (output, continuation) = AsyncStream<ByteBuffer>.makeStream()
        (channel.remoteAddress, channel.localAddress) = (peer, local)
        let logger = Logger(label: "gst-capture.test")
        let value = try await channel.eventLoop.flatSubmit { () -> EventLoopFuture<HTTP1Channel.Value> in
            do {
                try channel.pipeline.syncOperations.addHandler(Output(continuation))
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return child.setup(channel: channel, logger: logger)
        }.get()
        channel.closeFuture.whenComplete { _ in continuation.finish() }
        // A connection that is not admitted is closed already.
        _ = try? await channel.connect(to: peer ?? SocketAddress(unixDomainSocketPath: "/client"))
        channel.remoteAddress = peer
        (self.channel, self.output) = (channel, output)
        task = Task { await child.handle(value: value, logger: logger) }
    }

    deinit { close() }

    /// Sends text; the service may close the connection meanwhile.
    func write(_ text: String) async { await write(Data(text.utf8)) }

    /// Sends bytes; the service may close the connection meanwhile.
    func write(_ data: Data) async { _ = try? await channel.writeInbound(ByteBuffer(bytes: data)) }

    /// Ends the requests; the client still reads.
    func finish() async {
        _ = try? await channel.eventLoop.submit { [channel] in
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }.get()
    }

    /// Lets time pass on the event loop of the connection.
    func advance(by time: TimeAmount) async { await channel.testingEventLoop.advanceTime(by: time) }

    /// Closes the connection as a client that has gone.
    func close() { channel.close(promise: nil) }

    /// Returns the next bytes; `nil` at the end of the connection. One task at a time may call it.
    func read() async -> Data? {
        var iterator = output.makeAsyncIterator()
        return await iterator.next().map { Data($0.readableBytesView) }
    }

    /// Returns all bytes to the end of the connection, and closes it.
    func readToEnd() async -> Data {
        var data = Data()
        while let more = await read() { data += more }
        close()
        return data
    }

    /// Waits until the service has released the connection.
    func wait() async { await task.value }
}

/// Passes the bytes of the service to the client.
private final class Output: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        continuation.yield(unwrapOutboundIn(data))
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        continuation.finish()
        guard mode == .all else {
            promise?.succeed()
            return
        }
        context.close(mode: mode, promise: promise)
    }
}
#endif
