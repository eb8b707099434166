// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AccessKit
import AnalyticsKit
import CaptureBase
import Glibc
import Logging
import MQTTKit
import ServiceKit
import ServiceLifecycle
import SystemBase
import UploadKit

/// Reports cameras, series and the outbox to an MQTT broker, and performs its commands.
///
/// One loop reports the states; it waits for no camera and no disk. Other tasks send pictures and perform commands.
package struct MQTTBridge: Service {
    private let service: CaptureService
    private let client: MQTTClient
    private let discovery: Discovery
    private let pictures: PictureReports
    private let commands: MQTTCommands
    private let outbox: OutboxFeed?
    /// Requests for the next report.
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let logger: Logger

    /// The shortest time between two reports of the state.
    private static let pause = Duration.seconds(1)
    /// The maximum size of the file of a picture, in bytes. Its picture is made smaller.
    private static let mostFileBytes = 64 << 20
    /// How long the last messages may take at the end.
    private static let patience = Duration.seconds(5)

    /// Reads the password.
    ///
    /// - Parameter outbox: The outbox of the service; `nil` for none.
    /// - Throws: `CaptureError` if its file cannot be read, or other users can read it.
    package static func open(
        _ settings: ServiceMQTT, _ service: CaptureService, _ requests: PictureRequests, outbox: OutboxFeed?,
        _ logger: Logger
    ) async throws(CaptureError) -> MQTTBridge {
        let password = try await BlockingWork.run { () throws(CaptureError) in
            try settings.passwordFile.map { path throws(CaptureError) in try SecretFile.line(path) }
        }
        return MQTTBridge(settings, password, service, requests, outbox, logger)
    }

    private init(
        _ settings: ServiceMQTT, _ password: String?, _ service: CaptureService, _ requests: PictureRequests,
        _ outbox: OutboxFeed?, _ logger: Logger
    ) {
        (self.service, self.outbox, self.logger) = (service, outbox, logger)
        let discovery = Discovery(topic: settings.topic ?? "gst-capture/\(Self.machine)", prefix: settings.discovery)
        var configuration = MQTTConfiguration(host: settings.host, port: settings.port)
        if settings.isTLS {
            configuration.tls = MQTTCertificates(
                authorities: settings.authorities, certificate: settings.identity?.certificate,
                key: settings.identity?.key)
        }
        configuration.credentials = settings.user.map { MQTTCredentials(name: $0, password: password) }
        configuration.will = MQTTMessage(discovery.availability, "offline", isRetained: true)
        configuration.subscriptions = discovery.commands + [discovery.birth].compactMap { $0 }
        let client = MQTTClient(configuration)
        (self.discovery, self.client) = (discovery, client)
        pictures = PictureReports(
            PictureReports.Steps(
                read: { await Self.jpeg($0) },
                shrink: { try? await SmallerPicture.jpeg(of: $0, atMost: $1) },
                send: { camera, bytes in
                    await client.deliver(
                        large: MQTTMessage(discovery.image(ofCamera: camera), bytes, isRetained: true))
                },
                warn: { logger.warning("\($0)") }))
        commands = MQTTCommands { command in await Self.perform(command, service, requests, logger) }
    }

    /// The numbers of the connection, for metrics.
    package var statistics: MQTTClient.Statistics { client.statistics }

    /// Runs until the service shuts down, and reports `offline` then.
    package func run() async throws {
        client.publish(MQTTMessage(discovery.availability, "online", isRetained: true))
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await followConnection() }
                group.addTask { await followMessages() }
                group.addTask { await followEvents() }
                group.addTask { await reportChanges() }
                group.addTask { await pictures.run() }
                group.addTask { await commands.run() }
                if let outbox {
                    group.addTask { await report(outbox.reports) }
                    group.addTask { await followPictures(outbox) }
                }
                // The events of the service end before its last report is sent: only the client ends the bridge.
                await client.run()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            client.publish(MQTTMessage(discovery.availability, "offline", isRetained: true))
            client.finish(within: Self.patience)
        }
    }

    /// Delivers a product event, and waits for the broker, also while there is no connection.
    ///
    /// - Throws: The fault of the broker, or ``TransferFault/canceled`` soon after the task is canceled.
    package func deliver(_ entry: AnalyticsQueue.Entry) async throws(TransferFault) {
        switch await client.deliver(MQTTMessage(discovery.analytics, entry.text)) {
        case .delivered: return
        case .unsent where Task.isCancelled: throw .canceled
        case .tooLarge(let most): throw .refused(MQTTOutcome.tooLarge(most: most).reason)
        case let outcome:
            throw .unreachable("the MQTT broker has not accepted the event: \(outcome.reason)", pause: nil)
        }
    }

    /// The name of the machine, as a level of a topic.
    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "machine" }
        let bytes = name.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map { UInt8(bitPattern: $0) }
        let level = String(decoding: bytes.filter(\.isWordCharacter), as: UTF8.self)
        return level.isEmpty ? "machine" : level
    }
}

// MARK: - Reports

extension MQTTBridge {
    private func followConnection() async {
        var log = ConnectionLog()
        for await event in client.connections {
            if let line = log.line(for: event) { logger.log(level: line.level, "\(line.text)") }
            switch event {
            case .connected: await pictures.connect()
            case .disconnected: await pictures.disconnect()
            case .steady, .refused: break
            }
        }
    }

    private func followEvents() async {
        changes.continuation.yield()
        for await _ in service.listen(buffering: 1) { changes.continuation.yield() }
    }

    /// Reports the targets of the outbox whenever they change.
    private func report(_ reports: some AsyncSequence<[TargetReport], Never>) async {
        for await targets in reports { for message in discovery.messages(targets) { client.publish(message) } }
    }

    private func followPictures(_ outbox: OutboxFeed) async {
        for await event in service.listen() where event.event.kind == "captured" { outbox.pictureStored() }
    }

    /// Reports after events, at most once a second. Further events are reported together.
    private func reportChanges() async {
        var topics: Set<String> = []
        for await _ in changes.stream {
            let status = await service.status
            topics = publish(status, after: topics)
            await pictures.update(Self.pictures(status.cameras))
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
        }
    }

    /// Publishes entities and states. Removes those of the last report that are gone. The client sends only those that
    /// differ, and all of them to a broker to which it reconnects.
    ///
    /// - Returns: The topics of this report.
    private func publish(_ status: ServiceStatus, after earlier: Set<String>) -> Set<String> {
        var messages = discovery.messages(status)
        for camera in status.cameras {
            messages.append(MQTTMessage(discovery.state(ofCamera: camera.id), camera.json.text, isRetained: true))
        }
        for series in status.series {
            messages.append(MQTTMessage(discovery.state(ofSeries: series.id), series.json.text, isRetained: true))
        }
        let topics = Set(messages.map(\.topic))
        for topic in earlier.subtracting(topics).sorted() {
            client.publish(MQTTMessage(topic, [], isRetained: true))
        }
        for message in messages { client.publish(message) }
        return topics
    }

    private static func pictures(_ cameras: [CameraStatus]) -> [String: PictureReports.Picture] {
        Dictionary(
            cameras.compactMap { camera in
                camera.last.map { still in
                    let name = "\(still.captured.iso8601) \(still.sequence)"
                    return (camera.id, PictureReports.Picture(name: name, bytes: still.bytes, path: still.path))
                }
            }
        ) { $1 }
    }

    /// Returns a picture as it was stored; `nil` if it is no JPEG, very large, or gone.
    ///
    /// If the task is canceled, a disk that hangs keeps the thread, but not the caller.
    private static func jpeg(_ picture: PictureReports.Picture) async -> [UInt8]? {
        var bytes = picture.bytes
        if bytes == nil, let path = picture.path {
            bytes = await BlockingWork.runUntilCanceled { try? RegularFile.read(path, most: mostFileBytes) } ?? nil
        }
        return bytes?.starts(with: [0xFF, 0xD8, 0xFF]) == true ? bytes : nil
    }
}

// MARK: - Commands

extension MQTTBridge {
    /// Starts the commands that arrive. A retained one is older than the connection, and is ignored.
    private func followMessages() async {
        for await message in client.messages where !message.isRetained {
            if message.topic == discovery.birth {
                // Home Assistant has started, and wants to know everything.
                if message.text == "online" { client.repeatStates() }
                continue
            }
            do throws(CaptureError) {
                try await commands.start(
                    try MQTTCommand(topic: message.topic, below: discovery.topic, message.text))
            } catch {
                Self.log(error, message.topic, logger)
            }
        }
    }

    private static func perform(
        _ command: MQTTCommand, _ service: CaptureService, _ requests: PictureRequests, _ logger: Logger
    ) async {
        do throws(CaptureError) {
            switch command {
            case .snap(let camera): try await requests.snap(camera)
            case .record(let camera): try await service.startClip(camera)
            case .stopRecording(let camera): try await service.stopClip(camera)
            case .trigger(let camera): try await service.triggerClip(camera)
            case .resume(let series): try await service.resume(series)
            case .stop(let series): try await service.stop(series)
            }
            Logger(label: "gst-capture.audit").notice("\(command)", metadata: ["who": "mqtt"])
        } catch {
            log(error, "\(command)", logger)
        }
    }

    private static func log(_ error: CaptureError, _ command: String, _ logger: Logger) {
        logger.warning("MQTT command refused: \(error)", metadata: ["command": "\(command.quoted)"])
    }
}
#endif
