// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import Logging
import MQTTKit
import ServiceKit
import ServiceLifecycle
import SystemBase

/// Reports cameras and series to an MQTT broker, and performs its commands.
struct MQTTBridge: Service {
    private let service: CaptureService
    private let requests: PictureRequests
    private let client: MQTTClient
    private let discovery: Discovery
    private let published = Published()
    /// Reports follow one another. Otherwise an older state could be the last one that the broker gets.
    private let reports = Turns()
    private let audit = Logger(label: "gst-capture.audit")
    private let logger: Logger

    /// The shortest time between two reports of the state.
    private static let pause = Duration.seconds(1)
    /// The maximum size of a picture that is sent, in bytes.
    private static let mostImageBytes = 4 << 20
    /// How long the last messages may take at the end.
    private static let patience = Duration.seconds(5)

    /// Reads the password.
    ///
    /// - Throws: `CaptureError` if its file cannot be read, or other users can read it.
    static func open(
        _ settings: ServiceMQTT, _ service: CaptureService, _ requests: PictureRequests, _ logger: Logger
    ) async throws(CaptureError) -> MQTTBridge {
        let password = try await BlockingWork.run { () throws(CaptureError) in
            try settings.passwordFile.map { path throws(CaptureError) in try SecretFile.line(path) }
        }
        return MQTTBridge(settings, password, service, requests, logger)
    }

    private init(
        _ settings: ServiceMQTT, _ password: String?, _ service: CaptureService, _ requests: PictureRequests,
        _ logger: Logger
    ) {
        (self.service, self.requests, self.logger) = (service, requests, logger)
        discovery = Discovery(topic: settings.topic ?? "gst-capture/\(Self.machine)", prefix: settings.discovery)
        var configuration = MQTTConfiguration(host: settings.host, port: settings.port)
        if settings.isTLS {
            configuration.tls = MQTTCertificates(
                authorities: settings.authorities, certificate: settings.identity?.certificate,
                key: settings.identity?.key)
        }
        configuration.credentials = settings.user.map { MQTTCredentials(name: $0, password: password) }
        configuration.will = MQTTMessage(discovery.availability, "offline", isRetained: true)
        configuration.subscriptions = discovery.commands + [discovery.birth].compactMap { $0 }
        client = MQTTClient(configuration)
    }

    /// The numbers of the connection, for metrics.
    var statistics: MQTTClient.Statistics { client.statistics }

    /// Runs until the service shuts down, and reports `offline` then.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup { group in
                group.addTask { await client.run() }
                group.addTask { await followConnection() }
                group.addTask { await followCommands() }
                group.addTask { await followEvents() }
                await group.next()
                // The other tasks end with the client, or wait for events that no task needs.
                group.cancelAll()
            }
        } onGracefulShutdown: {
            client.publish(MQTTMessage(discovery.availability, "offline", isRetained: true))
            client.finish(within: Self.patience)
        }
    }

    /// Delivers a product event, and waits for the broker.
    func deliver(_ entry: AnalyticsQueue.Entry) async -> Webhook.Outcome {
        let message = MQTTMessage(discovery.analytics, entry.text)
        return await client.deliver(message) ? .delivered : .failed("the MQTT broker has not taken it", pause: nil)
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
        // A broker can be away for months: each reason is logged once.
        var lastReason: String?
        for await event in client.connections {
            switch event {
            case .connected:
                lastReason = nil
                logger.info("connected to the MQTT broker")
                await reportAll()
            case .disconnected(let reason):
                if reason != lastReason { logger.warning("no connection to the MQTT broker: \(reason)") }
                lastReason = reason
            }
        }
    }

    /// Reports after events, at most once a second. Further events are reported together.
    private func followEvents() async {
        let events = service.listen(buffering: 1)
        for await _ in events {
            await report()
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
        }
    }

    /// Reports everything to a broker that knows nothing.
    private func reportAll() async {
        client.publish(MQTTMessage(discovery.availability, "online", isRetained: true))
        await report(isWhole: true)
    }

    /// Publishes what differs from the last report, or everything.
    private func report(isWhole: Bool = false) async {
        let cameras = await reportStates(isWhole)
        // A picture on a disk that hangs keeps no other report.
        for camera in cameras {
            guard let still = camera.last, await published.isNew(still, of: camera.id) else { continue }
            guard let bytes = await Self.jpeg(still) else { continue }
            client.publish(MQTTMessage(discovery.image(ofCamera: camera.id), bytes, isRetained: true))
        }
    }

    /// Publishes entities and states. Entities that are gone are removed. Returns the cameras.
    private func reportStates(_ isWhole: Bool) async -> [CameraStatus] {
        await reports.take()
        defer { reports.end() }
        if isWhole { await published.clear() }
        let status = await service.status
        var messages = discovery.messages(status)
        for camera in status.cameras {
            messages.append(MQTTMessage(discovery.state(ofCamera: camera.id), camera.json.text, isRetained: true))
        }
        for series in status.series {
            messages.append(MQTTMessage(discovery.state(ofSeries: series.id), series.json.text, isRetained: true))
        }
        for message in await published.changes(to: messages) { client.publish(message) }
        return status.cameras
    }

    /// Returns a picture as it was stored; `nil` if it is no JPEG, too large, or gone.
    private static func jpeg(_ still: Still) async -> [UInt8]? {
        guard still.byteCount <= mostImageBytes else { return nil }
        var bytes = still.bytes
        if bytes == nil, let path = still.path {
            bytes = await BlockingWork.run { try? RegularFile.read(path, most: mostImageBytes) }
        }
        return bytes?.starts(with: [0xFF, 0xD8, 0xFF]) == true ? bytes : nil
    }
}

/// The messages that the broker has.
private actor Published {
    private var payloads: [String: [UInt8]] = [:]
    private var stills: [String: String] = [:]

    /// Forgets all messages: the next report is whole.
    func clear() { (payloads, stills) = ([:], [:]) }

    /// Returns the messages that differ from the last ones, and an empty one for each topic that is gone.
    func changes(to messages: [MQTTMessage]) -> [MQTTMessage] {
        let changed = messages.filter { payloads[$0.topic] != $0.payload }
        let topics = Set(messages.map(\.topic))
        let gone = payloads.keys.filter { !topics.contains($0) }.sorted()
        payloads = Dictionary(messages.map { ($0.topic, $0.payload) }) { $1 }
        return changed + gone.map { MQTTMessage($0, [], isRetained: true) }
    }

    /// Returns `true` once for each picture of a camera.
    func isNew(_ still: Still, of camera: String) -> Bool {
        let key = "\(still.captured.iso8601) \(still.sequence)"
        return stills.updateValue(key, forKey: camera) != key
    }
}

// MARK: - Commands

extension MQTTBridge {
    private func followCommands() async {
        for await message in client.messages {
            if message.topic == discovery.birth {
                // Home Assistant has started, and wants to know everything.
                if message.text == "online", !message.isRetained { await reportAll() }
            } else {
                await perform(message)
            }
        }
    }

    /// Performs a command. A retained one is older than the connection, and is ignored.
    private func perform(_ message: MQTTMessage) async {
        let levels = message.topic.dropFirst(discovery.topic.utf8.count + 1).split(separator: "/").map(String.init)
        guard !message.isRetained, levels.count == 3 else { return }
        do throws(CaptureError) {
            switch (levels[0], levels[2], message.text) {
            case ("camera", "snap", _): try await requests.snap(levels[1])
            case ("series", "set", "ON"): try await service.resume(levels[1])
            case ("series", "set", "OFF"): try await service.stop(levels[1])
            default: throw CaptureError(.usage, "is not ON or OFF", subject: "payload")
            }
            audit.notice("\(message.topic)", metadata: ["who": "mqtt"])
        } catch {
            logger.warning("MQTT command refused: \(error)", metadata: ["topic": "\(message.topic.quoted)"])
        }
    }
}
#endif
