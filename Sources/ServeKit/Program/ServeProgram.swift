// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import DeliveryKit
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OverlayCompositor
import HomeAssistantKit
import LibraryFeed
import ServiceKit
import ServiceLifecycle
import UnixSignals
import UploadKit

/// Runs a service with its HTTP servers until a signal ends it.
///
/// SIGTERM and SIGINT end the series after their current pictures, then the servers; SIGHUP reloads the
/// configuration.
struct ServeProgram: Sendable {
    typealias Reload = @Sendable () async throws(CaptureError) -> ServiceConfiguration

    private let configuration: ServiceConfiguration
    private let sockets: [ActivatedSocket]
    private let hangups: UnixSignalsSequence
    private let reload: Reload
    private let service: CaptureService
    private let requests: PictureRequests
    private let api: API
    private let metrics = ServeMetrics()
    private let safety: ServeSafety
    private let analytics: AnalyticsQueue?
    private let library: ServiceLibrary?
    private let outbox: ServiceOutbox?
    private let films: FilmService?
    private let records: RecordDesk?
    private let mostConnections: Int
    private let logger = Logger(label: "gst-capture")

    /// The maximum size of a request's head, in bytes, and of one of its fields.
    private static let (mostHeadBytes, mostFieldBytes, mostFields) = (16384, 8192, 64)
    /// How long the servers may take for responses that are being sent at the end.
    private static let patience = Duration.seconds(30)

    /// - Parameters:
    ///   - sockets: Sockets that listen already; they take the place of the configuration's addresses.
    ///   - hangups: The requests to reload, also those that came during the start.
    ///   - analytics: The queue of product events; `nil` if the configuration has no receiver.
    ///   - library: The library; `nil` if the service has none.
    ///   - outbox: The outbox that is shown; `nil` if the configuration names none.
    ///   - recordFolder: The folder of the records; `nil` if the configuration names no kinds.
    ///   - mostConnections: How many clients may be connected at the same time.
    init(
        _ configuration: ServiceConfiguration, _ safety: ServeSafety, sockets: [ActivatedSocket],
        hangups: UnixSignalsSequence, analytics: AnalyticsQueue?, library: ServiceLibrary?, outbox: ServiceOutbox?,
        recordFolder: String?, page: PageFiles?, mostConnections: Int,
        reload: @escaping Reload
    ) {
        (self.configuration, self.safety, self.sockets, self.reload) = (configuration, safety, sockets, reload)
        (self.hangups, self.analytics, self.mostConnections) = (hangups, analytics, mostConnections)
        (self.library, self.outbox) = (library, outbox)
        // Without the drawing process, series that burn in layers report it.
        let rasterizer = try? RasterProcess.standard()
        service = CaptureService(
            configuration, rasterizer: rasterizer, observer: metrics, analytics: analytics,
            state: safety.stateFolder, removals: { await library?.removals(in: $0, after: $1) },
            outbox: outbox?.sentPictures)
        records = recordFolder.map { [service] folder in
            RecordDesk(configuration.records?.kinds ?? [], folder: folder) { service.emit($0) }
        }
        films = safety.stateFolder.flatMap { [service] in try? FilmService(service, library, state: $0, rasterizer) }
        if let analytics { metrics.measure(analytics) }
        if let outbox { metrics.measure(outbox) }
        requests = PictureRequests(service, state: safety.stateFolder)
        api = API(
            service, requests, metrics, library: library, outbox: outbox, records: records, films: films?.desk,
            page: page, rasterizer: rasterizer
        ) {
            ServiceLink.base(configuration)
        }
    }

    /// Runs to the end.
    ///
    /// - Throws: `CaptureError` if an address is in use, or a driver hangs.
    func run() async throws(CaptureError) {
        // Each server logs its address.
        for line in configuration.summary.split(separator: "\n").dropFirst() { logger.info("\(line)") }
        for line in safety.warnings { logger.warning("\(line)") }
        FileWatch.reportRefusals { [logger] in logger.warning("\($0)") }
        if mostConnections < ConnectionLimit.most {
            logger.warning("at most \(mostConnections) clients can connect; raise the limit of open files (ulimit -n)")
        }
        for error in await service.prepare() { logger.error("series not restored: \(error)") }
        // Reading the records takes seconds on a slow disk. Requests with keys wait for it, and series do not.
        await service.perform { await recover() }
        let bridge = try await bridge()
        let sender = try await sender(bridge)
        let buttons = ButtonRequests(configuration.buttons, service, requests)
        let notifier = ServeNotifier(service, servers: sockets.isEmpty ? configuration.addresses.count : sockets.count)
        let capture = CaptureRunner(service, notifier)
        // Services end in the reverse order: first the series, so that the events end, then the servers.
        let limit = ConnectionLimit(most: mostConnections) { [metrics] in metrics.changeConnections(by: $0) }
        var services =
            sockets.isEmpty
            ? configuration.addresses.map { server(.address($0), limit, notifier) }
            : sockets.map { server(.socket($0), limit, notifier) }
        let reloader = Reloader(hangups, service, safety, logger, notifier, reload)
        services.append(.init(service: SafetyWatch(safety, logger)))
        services.append(.init(service: reloader))
        if let notifier { services.append(.init(service: EventService(base: notifier))) }
        if let bridge { services.append(.init(service: EventService(base: bridge))) }
        if let sender { services.append(.init(service: EventService(base: sender))) }
        if let buttons { services.append(.init(service: buttons)) }
        if let path = configuration.outbox, let state = safety.stateFolder,
            let sender = SenderProcess(path: path, state: state, logger)
        {
            services.append(.init(service: sender))
        }
        if let library {
            let feed = LibraryFeed(library, service) { [logger] in logger.warning("library: \($0)") }
            services.append(.init(service: EventService(base: feed)))
        }
        if let films { services.append(.init(service: films)) }
        if let records {
            services.append(.init(service: RecordCare(records, logger)))
            services.append(.init(service: EventService(base: RecordFeed(records, service, logger))))
        }
        services.append(
            .init(
                service: capture, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup))
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "gst-capture.lifecycle").quiet)
        group.maximumGracefulShutdownDuration = Self.patience
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as CaptureError {
            throw error
        } catch {
            throw CaptureError(.software, "\(error)")
        }
        logger.info("stopped")
    }

    /// Answers the requests of an earlier process.
    private func recover() async {
        for error in await requests.recover(API.recovered) { logger.warning("request not recovered: \(error)") }
    }

    /// Returns the connection to the MQTT broker; `nil` if the configuration has none.
    private func bridge() async throws(CaptureError) -> MQTTBridge? {
        guard let settings = configuration.mqtt else { return nil }
        let feed = outbox.map { outbox in
            let reports = OutboxReports(outbox) { [logger] in logger.error("outbox: \($0)") }
            return OutboxFeed(reports) { outbox.watch.pictureStored() }
        }
        let bridge = try await MQTTBridge.open(settings, service, requests, outbox: feed, logger)
        metrics.measure(bridge)
        return bridge
    }

    /// Returns the sender of product events; `nil` if the configuration has no receiver.
    private func sender(_ bridge: MQTTBridge?) async throws(CaptureError) -> AnalyticsSender? {
        guard let analytics, let settings = configuration.analytics else { return nil }
        var receivers: [EventReceiver] = []
        if let address = settings.webhook, let file = settings.secretFile {
            let webhook = try await BlockingWork.run { () throws(CaptureError) in
                try Webhook(address, secretFile: file)
            }
            receivers.append(
                EventReceiver("webhook") { entry async throws(TransferFault) in try await webhook.send(entry) })
        }
        if settings.usesMQTT, let bridge {
            receivers.append(
                EventReceiver("mqtt") { entry async throws(TransferFault) in try await bridge.deliver(entry) })
        }
        return AnalyticsSender(analytics, receivers, logger)
    }

    /// Returns the server of an address of the configuration, or of a socket that listens already.
    private func server(
        _ place: HTTPServer<GuardedChannel<HTTP1Channel>>.Place, _ limit: ConnectionLimit, _ notifier: ServeNotifier?
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        let (logger, safety, address) = (logger, safety, place.address)
        let access = safety.access(to: address)
        let quiet = Logger(label: "gst-capture.http").quiet
        let responder = APIResponder(api.router(access).buildResponder(), quiet)
        let channel = HTTP1Channel(responder: responder.respond, configuration: Self.limits)
        let server = HTTPServer(
            place: place, child: GuardedChannel(channel, limit, safety.tls(at: address)), logger: quiet
        ) { port in
            let link = address.link(port: port, isTLS: access.isTLS)
            if case .address = place {
                do throws(CaptureError) { try await safety.share(address) } catch { logger.error("\(error)") }
                logger.info("listens at \(link)")
            } else {
                logger.info("listens at \(link), which systemd opened")
            }
            print(link)
            fflush(nil)
            await notifier?.listens()
        }
        return .init(service: server, failureTerminationBehavior: .gracefullyShutdownGroup)
    }

    /// The limits of a connection.
    static var limits: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: mostFieldBytes, maxHeaderListSize: mostHeadBytes, maxHeaderFieldCount: mostFields))
    }
}

/// A service that ends with the events of the series. The group takes a service that ends before its turn in the
/// shutdown for a failure, so this one waits for its turn.
private struct EventService<Base: Service>: Service {
    let base: Base

    func run() async throws {
        try await base.run()
        try? await gracefulShutdown()
    }
}

/// Runs the series of a service.
private struct CaptureRunner: Service {
    private let service: CaptureService
    private let notifier: ServeNotifier?

    init(_ service: CaptureService, _ notifier: ServeNotifier?) { (self.service, self.notifier) = (service, notifier) }

    func run() async throws {
        let failure = await withGracefulShutdownHandler {
            await service.run()
        } onGracefulShutdown: {
            // The handler cannot wait; `run()` returns after this has ended.
            Task {
                await notifier?.stops()
                await service.stop()
            }
        }
        if let failure { throw failure }
    }
}

/// Reloads the configuration at SIGHUP.
private struct Reloader: Service {
    private let hangups: UnixSignalsSequence
    private let service: CaptureService
    private let safety: ServeSafety
    private let logger: Logger
    private let notifier: ServeNotifier?
    private let reload: ServeProgram.Reload

    init(
        _ hangups: UnixSignalsSequence, _ service: CaptureService, _ safety: ServeSafety, _ logger: Logger,
        _ notifier: ServeNotifier?, _ reload: @escaping ServeProgram.Reload
    ) {
        (self.hangups, self.service, self.safety, self.logger) = (hangups, service, safety, logger)
        (self.notifier, self.reload) = (notifier, reload)
    }

    func run() async throws {
        for await _ in hangups.cancelOnGracefulShutdown() {
            await notifier?.reloads()
            await safety.reload()
            do throws(CaptureError) {
                let configuration = try await reload()
                for error in await service.reload(configuration) { logger.error("series ended: \(error)") }
                logger.notice("configuration reloaded")
            } catch {
                for line in error.description.split(separator: "\n") {
                    logger.error("configuration not reloaded: \(line)")
                }
            }
            await notifier?.reloaded()
        }
    }
}

extension ListenAddress {
    /// The address with the port that the system has chosen.
    fileprivate func link(port chosen: Int? = nil, isTLS: Bool) -> String {
        guard case .port(let host, let port) = self else { return description }
        let link = ListenAddress.port(host: host, port: chosen ?? port).description
        return isTLS ? link.replacing("http://", with: "https://", maxReplacements: 1) : link
    }
}

extension Logger {
    /// The same logger, without messages about normal operation.
    fileprivate var quiet: Logger {
        var logger = self
        logger.logLevel = .error
        return logger
    }
}
#endif
