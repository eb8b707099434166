// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Logging
import NIOCore

/// Accepts no connections for a second when the system cannot open another one: the listener stays readable, so that
/// each try would lead to the next at once.
final class AcceptHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// The time without connections.
    static let pause = TimeAmount.seconds(1)

    private let logger: Logger
    private var timer: Scheduled<Void>?

    init(_ logger: Logger) { self.logger = logger }

    /// Keeps the error from the handlers that would end the server.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard timer == nil else { return }
        logger.error("no connection accepted: \(error)")
        guard let options = context.channel.syncOptions, (try? options.setOption(.autoRead, value: false)) != nil
        else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in
            timer = nil
            try? options.setOption(.autoRead, value: true)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
}
#endif
