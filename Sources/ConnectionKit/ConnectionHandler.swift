// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore
import NIOHTTP1

/// The event with which a response says that it lasts until its client leaves, so that the connection is closed as soon
/// as the client sends nothing more.
struct LastingResponse: Sendable {}

/// The error of a request whose body has stopped coming.
package struct BodyTimeout: Error {
    package init() {}
}

/// Closes connections whose clients are too slow or have gone, and tells the limit of connections which are idle.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var state: ConnectionState
    private var timer: Scheduled<Void>?
    private var isIdle = true
    private let report: (_ isIdle: Bool) -> Void
    private var waits: [DepartureWait] = []

    /// - Parameter report: Called on the event loop when a request begins, and when the response of the last one ends.
    init(at now: NIODeadline, report: @escaping (_ isIdle: Bool) -> Void) {
        (state, self.report) = (ConnectionState(at: now), report)
    }

    func handlerAdded(context: ChannelHandlerContext) { update(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        finishWaits()
    }

    func channelInactive(context: ChannelHandlerContext) {
        finishWaits()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = context.eventLoop.now
        switch unwrapInboundIn(data) {
        case .head(let head):
            state.receiveHead(at: now)
            update(context)
            context.fireChannelRead(wrapInboundOut(.head(Self.withoutHost(head))))
        case .body:
            state.receiveBody(at: now)
            context.fireChannelRead(data)
        case .end:
            state.receiveEnd()
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            state.sendEnd(at: context.eventLoop.now)
            finishWaits()
            update(context)
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent {
            perform(state.closeInput(), context)
            finishWaits()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case is LastingResponse: perform(state.last(), context)
        case let wait as DepartureWait:
            waits.append(wait)
            if state.isInputClosed { finishWaits() }
        default:
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
    }

    private func finishWaits() {
        for wait in waits { wait.departure.finish() }
        waits = []
    }

    /// Keeps targets in absolute form, such as `http://other.example/`, from the conversion that drops their host: the
    /// target `*` is refused like every other that is no path.
    private static func withoutHost(_ head: HTTPRequestHead) -> HTTPRequestHead {
        guard !head.uri.hasPrefix("/") else { return head }
        var head = head
        head.uri = "*"
        return head
    }

    private func perform(_ action: ConnectionState.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .none: break
        case .close: context.close(promise: nil)
        case .failBody: context.fireErrorCaught(BodyTimeout())
        }
    }

    private func update(_ context: ChannelHandlerContext) {
        if state.isIdle != isIdle {
            isIdle = state.isIdle
            report(isIdle)
        }
        guard timer == nil, let deadline = state.deadline else { return }
        // One timer at a time: at its end, the deadline may have moved.
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            perform(state.expire(at: context.eventLoop.now), context)
            if context.channel.isActive { update(context) }
        }
    }
}

/// Closes a connection whose client does not read.
final class StalledWriteHandler: ChannelOutboundHandler {
    // It passes all data on.
    typealias OutboundIn = Any

    private var writes = StalledWrites()
    private var timer: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let (promise, loop) = (promise ?? context.eventLoop.makePromise(), context.eventLoop)
        writes.begin(at: loop.now)
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in writes.complete(at: loop.now) }
        context.write(data, promise: promise)
        schedule(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func schedule(_ context: ChannelHandlerContext) {
        guard timer == nil, let deadline = writes.deadline else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            if writes.isStalled(at: context.eventLoop.now) { context.close(promise: nil) } else { schedule(context) }
        }
    }
}
#endif
