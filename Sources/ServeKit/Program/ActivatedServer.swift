// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// An HTTP server on a socket that listens already. Hummingbird's own server always binds an address; this one has the
/// same channels, limits and end.
struct ActivatedServer<Responder: HTTPResponder, Child: ServerChildChannel>: Service
where Responder.Context == ServeContext {
    let socket: ActivatedSocket
    let responder: Responder
    /// Creates the channels of connections.
    let channel: @Sendable (@escaping HTTPChannelHandler.Responder) -> Child
    let connections: CountedConnections
    let logger: Logger
    /// Called when connections are accepted.
    let onServerRunning: @Sendable () async -> Void

    func run() async throws {
        let child = channel(respond)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { [connections] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AvailableConnectionsChannelHandler(delegate: connections))
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .bind(socket.descriptor) { [logger] channel in child.setup(channel: channel, logger: logger) }
        let open = OpenChannels()
        await withGracefulShutdownHandler {
            await onServerRunning()
            await serve(server, child, open)
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
            open.quiesce()
        }
    }

    private func serve(
        _ server: NIOAsyncChannel<Child.Value, Never>, _ child: Child, _ open: OpenChannels
    ) async {
        await withDiscardingTaskGroup { group in
            do {
                try await server.executeThenClose { inbound in
                    for try await value in inbound {
                        open.add(value.channel)
                        group.addTask { [logger] in
                            await child.handle(value: value, logger: logger)
                            open.remove(value.channel)
                        }
                    }
                }
            } catch {
                logger.error("\(socket.address): \(error)")
            }
        }
    }

    @Sendable @concurrent
    private func respond(to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        let context = ServeContext(source: .init(channel: channel, logger: logger))
        var response = try await responder.respond(to: request, context: context)
        response.headers[.date] = Self.date(time(nil))
        try await writer.write(response: response.head, body: response.body)
    }
}

extension ActivatedServer {
    /// Returns a moment as in the field Date (RFC 9110, section 5.6.7).
    static func date(_ moment: time_t) -> String {
        var (moment, parts) = (moment, tm())
        gmtime_r(&moment, &parts)
        // The program never sets a locale, so the names are English.
        let bytes = [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
            count = strftime(buffer.baseAddress, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        }
        return String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The connections of a server.
private final class OpenChannels: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isQuiescing = false
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        let isQuiescing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isQuiescing
        }
        if isQuiescing { Self.quiesce(channel) }
    }

    func remove(_ channel: any Channel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = nil } }

    /// Closes each connection after its current response.
    func quiesce() {
        let channels = state.withLock { state in
            state.isQuiescing = true
            return Array(state.channels.values)
        }
        for channel in channels { Self.quiesce(channel) }
    }

    private static func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
#endif
