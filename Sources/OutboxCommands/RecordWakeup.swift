// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import MQTTKit
import RecordKit
import Synchronization
import TransferKit
import UploadKit

/// Tells other machines over an MQTT broker that records have changed at the backend, and wakes the synchronization when
/// they say so.
///
/// The retained message of a kind, `TOPIC/KIND`, is the ETag of the newest change. Nothing depends on the broker: while it
/// is not connected, the backend is looked at as often as without one.
final class RecordWakeup: Sendable {
    /// The pause between two looks at the backend while the broker is connected: a message can be lost.
    private static let poll = Duration.seconds(3600)
    private static let mostDigits = 20

    private let client: MQTTClient
    private let broker: RecordsBroker
    private let kinds: [String]
    private let unconnectedPoll: Duration
    /// The last message of each kind, sent or received.
    private let last = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - kinds: The IDs of the kinds.
    ///   - poll: The pause between two looks at the backend without a connection.
    /// - Throws: `CaptureError` `.permission` if the password cannot be read.
    init(_ broker: RecordsBroker, _ kinds: [String], poll: Duration) throws(CaptureError) {
        (self.broker, self.kinds, unconnectedPoll) = (broker, kinds, poll)
        var configuration = MQTTConfiguration(host: broker.address.host, port: broker.address.port)
        if broker.address.isTLS { configuration.tls = MQTTCertificates(authorities: broker.authorityFile) }
        do throws(TransferFault) {
            let password = try broker.login.password?.value()
            configuration.credentials = broker.login.user.map { MQTTCredentials(name: $0, password: password) }
        } catch {
            throw CaptureError(.permission, error.reason, subject: broker.address.host)
        }
        configuration.subscriptions = kinds.map { "\(broker.topic)/\($0)" }
        configuration.mostReceivedBytes = 1024
        client = MQTTClient(configuration)
    }

    /// Tells that the backend has a change of this machine.
    func tell(_ kind: String, _ etag: Int) {
        last.withLock { $0[kind] = "\(etag)" }
        client.publish(MQTTMessage("\(broker.topic)/\(kind)", "\(etag)", isRetained: true))
    }

    /// Runs until the task is canceled.
    ///
    /// - Parameter report: Receives the state of the connection.
    func run(_ sync: RecordSync, report: @escaping @Sendable (RecordSyncEvent) -> Void) async {
        await withTaskGroup { group in
            group.addTask { await self.client.run() }
            group.addTask {
                for await message in self.client.messages {
                    if let kind = self.news(message) { await sync.wake(kind) }
                }
            }
            group.addTask {
                for await event in self.client.connections { await self.handle(event, sync, report) }
            }
        }
    }

    /// Returns the kind of which a message has news; `nil` for none: this machine sent it, or has seen it.
    private func news(_ message: MQTTMessage) -> String? {
        guard let kind = kinds.first(where: { message.topic == "\(broker.topic)/\($0)" }),
            let text = message.text, (1...Self.mostDigits).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return last.withLock { $0.updateValue(text, forKey: kind) } == text ? nil : kind
    }

    private func handle(
        _ event: MQTTClient.ConnectionEvent, _ sync: RecordSync, _ report: (RecordSyncEvent) -> Void
    ) async {
        switch event {
        case .connected:
            await sync.poll(each: max(Self.poll, unconnectedPoll))
            report(.broker(broker.address.host, fault: nil))
        case .steady: break
        case .disconnected(let reason):
            await sync.poll(each: unconnectedPoll)
            report(.broker(broker.address.host, fault: reason))
        case .refused(let topic, let reason): report(.broker(broker.address.host, fault: "\(topic): \(reason)"))
        }
    }
}
#endif
