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
        let child = channel(APIResponder(responder, logger).respond)
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
