// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// A connection with limits and, if the service has a certificate, with TLS.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    private let base: Base
    private let limit: ConnectionLimit
    private let tls: TLSIdentity?

    init(_ base: Base, _ limit: ConnectionLimit, _ tls: TLSIdentity?) {
        (self.base, self.limit, self.tls) = (base, limit, tls)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let isAdmitted = limit.admit(channel)
        return channel.eventLoop.makeCompletedFuture {
            if let tls {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context))
            }
            try channel.pipeline.syncOperations.addHandler(StalledWriteHandler())
        }.flatMap { base.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(TargetHandler(), position: .after(decoder))
            // A failed future would end the server.
            if !isAdmitted { channel.close(mode: .all, promise: nil) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// Limits the connections of each network, so that one client cannot use all.
final class ConnectionLimit: Sendable {
    /// How many connections a network may have.
    static let most = 64

    private let counts = Mutex<[String: Int]>([:])

    /// Counts a connection until it closes. Returns `false`, and does not count it, if the network has too many.
    func admit(_ channel: any Channel) -> Bool {
        let network = channel.network
        let isAdmitted = counts.withLock { counts in
            guard counts[network, default: 0] < Self.most else { return false }
            counts[network, default: 0] += 1
            return true
        }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(network) }
        return true
    }

    private func remove(_ network: String) {
        counts.withLock { counts in
            counts[network, default: 1] -= 1
            if counts[network] == 0 { counts[network] = nil }
        }
    }
}

/// Keeps targets in absolute form, such as `http://other.example/`, from the conversion that drops their host: the
/// target `*` is refused like every other that is no path.
private final class TargetHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.uri.hasPrefix("/") else {
            context.fireChannelRead(data)
            return
        }
        head.uri = "*"
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

/// Closes a connection whose client does not read: no write has completed for 30 seconds although one is pending.
private final class StalledWriteHandler: ChannelOutboundHandler {
    // It passes all data on.
    typealias OutboundIn = Any

    private var (pending, completed) = (0, 0)
    private var check: Scheduled<Void>?

    private static let patience = TimeAmount.seconds(30)

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        pending += 1
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in
            pending -= 1
            completed += 1
        }
        context.write(data, promise: promise)
        if check == nil { schedule(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

    private func schedule(_ context: ChannelHandlerContext) {
        let count = completed
        check = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [self] in
            check = nil
            guard pending > 0 else { return }
            if completed == count { context.close(promise: nil) } else { schedule(context) }
        }
    }
}
#endif
