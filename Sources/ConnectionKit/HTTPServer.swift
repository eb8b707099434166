// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceKit
import ServiceLifecycle
import Synchronization

/// An HTTP server at an address, or on a socket that listens already. Hummingbird's own server cannot use such a socket,
/// ends when the system has no descriptor for a connection, and accepts none at its limit, so that no idle connection
/// could give way.
package struct HTTPServer<Child: ServerChildChannel>: Service {
    /// The address or socket at which a server listens.
    package enum Place: Sendable {
        case address(ListenAddress)
        case socket(ActivatedSocket)

        /// The address at which clients find it.
        package var address: ListenAddress {
            switch self {
            case .address(let address): address
            case .socket(let socket): socket.address
            }
        }
    }

    private let place: Place
    private let child: Child
    private let logger: Logger
    private let onServerRunning: @Sendable (_ port: Int?) async -> Void

    /// - Parameters:
    ///   - child: Creates the channels of connections.
    ///   - onServerRunning: Called with the port when connections are accepted; `nil` for a Unix socket.
    package init(
        place: Place, child: Child, logger: Logger, onServerRunning: @escaping @Sendable (_ port: Int?) async -> Void
    ) {
        (self.place, self.child, self.logger, self.onServerRunning) = (place, child, logger, onServerRunning)
    }

    /// How many connections the kernel keeps until the server accepts them.
    private static var backlog: Int32 { 256 }

    /// - Throws: `CaptureError` if the address cannot be used.
    package func run() async throws {
        let server = try await listen()
        let open = OpenChannels()
        await withGracefulShutdownHandler {
            await onServerRunning(server.channel.localAddress?.port)
            await serve(server, open)
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
            open.quiesce()
        }
    }

    private func listen() async throws -> NIOAsyncChannel<Child.Value, Never> {
        let (child, logger) = (child, logger)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptHandler(logger))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
        let setUp: @Sendable (any Channel) -> EventLoopFuture<Child.Value> = { channel in
            child.setup(channel: channel, logger: logger)
        }
        do {
            switch place {
            case .address(.port(let host, let port)):
                return try await bootstrap.bind(host: host, port: port, childChannelInitializer: setUp)
            case .address(.unix(let path)):
                return try await bootstrap.bind(
                    unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: setUp)
            case .socket(let socket):
                return try await bootstrap.bind(socket.descriptor, childChannelInitializer: setUp)
            }
        } catch let error as IOError {
            throw Self.error(error.errnoCode, at: place.address)
        }
    }

    private static func error(_ number: Int32, at address: ListenAddress) -> CaptureError {
        let isInUse = number == EADDRINUSE
        return CaptureError(
            isInUse ? .temporary : number == EACCES ? .permission : .cannotCreate,
            CaptureError.systemMessage(number), subject: address.description,
            advice: isInUse ? "stop the program that listens there, or give another --listen" : nil,
            systemError: number)
    }

    private func serve(_ server: NIOAsyncChannel<Child.Value, Never>, _ open: OpenChannels) async {
        await withDiscardingTaskGroup { group in
            do {
                try await server.executeThenClose { inbound in
                    for try await value in inbound {
                        open.add(value.channel)
                        group.addTask { [child, logger] in
                            await child.handle(value: value, logger: logger)
                            open.remove(value.channel)
                        }
                    }
                }
            } catch {
                logger.error("\(place.address): \(error)")
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
