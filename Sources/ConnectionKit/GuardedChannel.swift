// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// A connection with limits and, if the service has a certificate, with TLS.
package struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    package typealias Value = Base.Value

    private let base: Base
    private let limit: ConnectionLimit
    private let tls: TLSIdentity?

    package init(_ base: Base, _ limit: ConnectionLimit, _ tls: TLSIdentity?) {
        (self.base, self.limit, self.tls) = (base, limit, tls)
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let number = limit.admit(channel)
        return channel.eventLoop.makeCompletedFuture {
            if let tls {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context))
            }
            try channel.pipeline.syncOperations.addHandler(StalledWriteHandler())
        }.flatMap { base.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let handler = ConnectionHandler(at: channel.eventLoop.now) { [limit] isIdle in
                if let number { limit.change(number, isIdle: isIdle) }
            }
            try pipeline.addHandler(handler, position: .after(decoder))
            // A failed future would end the server.
            if number == nil { channel.close(mode: .all, promise: nil) }
            return value
        }
    }

    package func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
#endif
