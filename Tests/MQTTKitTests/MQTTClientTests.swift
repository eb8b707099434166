// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Testing

@testable import MQTTKit

@Suite("A client and brokers that end connections", .timeLimit(.minutes(1)))
struct MQTTClientTests {
    private static func configuration(_ broker: ScriptedBroker) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: broker.port)
        configuration.firstPause = .milliseconds(1)
        configuration.longestPause = .milliseconds(10)
        configuration.subscriptions = ["commands/#"]
        return configuration
    }

    /// Runs a client while a test uses it.
    private static func withClient(
        _ configuration: MQTTConfiguration, _ body: (MQTTClient) async throws -> Void
    ) async rethrows {
        let client = MQTTClient(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            try await body(client)
            group.cancelAll()
        }
    }

    @Test("A broker that ends the connection at a large message gets all others, and the message is too large")
    func large() async throws {
        let broker = try ScriptedBroker { $0.type == 3 && $0.body.count > 1000 ? .close : .acknowledge }
        defer { broker.end() }
        await Self.withClient(Self.configuration(broker)) { client in
            client.publish(MQTTMessage("state", "1", isRetained: true))
            for await event in client.connections where event == .connected { break }
            let picture = MQTTMessage("picture", [UInt8](repeating: 1, count: 5000), isRetained: true)
            async let outcome = client.deliver(large: picture)
            #expect(await client.deliver(MQTTMessage("queued", "x")) == .delivered)
            #expect(await outcome == .tooLarge(most: nil))
            let small = MQTTMessage("picture", [UInt8](repeating: 1, count: 500), isRetained: true)
            for await event in client.connections where event == .connected { break }
            #expect(await client.deliver(large: small) == .delivered)
        }
    }

    @Test("A broker that ends the connection at a topic gets all others, and the topic is reported once")
    func topic() async throws {
        let broker = try ScriptedBroker { $0.type == 3 && $0.topic == "bad" ? .close : .acknowledge }
        defer { broker.end() }
        await Self.withClient(Self.configuration(broker)) { client in
            for name in ["a", "bad", "b"] { client.publish(MQTTMessage(name, "1", isRetained: true)) }
            var (refused, ends) = ([String](), 0)
            for await event in client.connections {
                if case .disconnected = event { ends += 1 }
                if case .refused(let topic, _) = event {
                    refused.append(topic)
                    break
                }
            }
            #expect(refused == ["bad"])
            // The first attempt with MQTT 5, one beside others, and two alone.
            #expect(ends <= 4)
            for await event in client.connections where event == .connected { break }
            #expect(await client.deliver(MQTTMessage("queued", "x")) == .delivered)
            var states: Set<String> = []
            for await packet in broker.packets {
                if let packet, packet.type == 3 { states.insert(packet.topic) }
                if states.isSuperset(of: ["a", "b", "queued"]) { break }
            }
        }
    }

    @Test("A broker that ends the connection at a subscription gets the states, and the filter is reported once")
    func subscription() async throws {
        let broker = try ScriptedBroker { $0.type == 8 ? .close : .acknowledge }
        defer { broker.end() }
        await Self.withClient(Self.configuration(broker)) { client in
            var refused: [String] = []
            for await event in client.connections {
                if case .refused(let topic, _) = event { refused.append(topic) }
                if event == .connected { break }
            }
            #expect(refused == ["commands/#"])
            #expect(await client.deliver(MQTTMessage("queued", "x")) == .delivered)
        }
    }

    @Test(
        "A retained message is sent again to a broker to which the client reconnects, and a finished client says farewell"
    )
    func farewell() async throws {
        let broker = try ScriptedBroker { $0.type == 3 && $0.topic == "close" ? .close : .acknowledge }
        defer { broker.end() }
        let client = MQTTClient(Self.configuration(broker))
        async let end: Void = client.run()
        client.publish(MQTTMessage("state", "online", isRetained: true))
        var connections = 0
        for await event in client.connections where event == .connected {
            connections += 1
            if connections == 2 { break }
            _ = await client.deliver(large: MQTTMessage("close", "x", isRetained: true))
        }
        client.publish(MQTTMessage("state", "offline", isRetained: true))
        client.finish(within: .seconds(20))
        await end
        broker.end()
        var (states, hasDisconnected) = ([String](), false)
        for await packet in broker.packets {
            guard let packet else { continue }
            if packet.type == 3, packet.topic == "state" {
                states.append(String(decoding: packet.body.dropFirst(9), as: UTF8.self))
            }
            if packet.type == 14 { hasDisconnected = true }
        }
        #expect(states == ["online", "online", "offline"] || states == ["online", "offline"], "\(states)")
        #expect(hasDisconnected)
    }

    @Test("A packet that is larger than any message ends the connection before it fills the memory")
    func hostile() async throws {
        let broker = try ScriptedBroker { packet in
            // A publication of 64 MiB.
            packet.type == 8
                ? .send([0x30, 0x80, 0x80, 0x80, 0x20] + [UInt8](repeating: 0, count: 64 << 20)) : .acknowledge
        }
        defer { broker.end() }
        await Self.withClient(Self.configuration(broker)) { client in
            for await event in client.connections {
                guard case .disconnected(let reason) = event, reason.contains("more than") else { continue }
                break
            }
            #expect(client.statistics.received == 0)
        }
    }
}
#endif
