// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Testing

@testable import HomeAssistantKit

@Suite("Commands over MQTT", .timeLimit(.minutes(1)))
struct MQTTCommandTests {
    @Test("Messages become commands; others are refused")
    func reading() throws {
        let cases: [(String, String?, MQTTCommand?)] = [
            ("a/b/camera/garden/snap", nil, .snap(camera: "garden")),
            ("a/b/camera/ä/snap", "PRESS", .snap(camera: "ä")),
            ("a/b/camera/door/record", "ON", .record(camera: "door")),
            ("a/b/camera/door/record", "OFF", .stopRecording(camera: "door")), ("a/b/camera/door/record", "1", nil),
            ("a/b/camera/door/trigger", nil, .trigger(camera: "door")),
            ("a/b/series/s/set", "ON", .resume(series: "s")), ("a/b/series/s/set", "OFF", .stop(series: "s")),
            ("a/b/series/s/set", "on", nil), ("a/b/series/s/set", nil, nil), ("a/b/camera/snap", "PRESS", nil),
            ("a/b/camera/x/y/snap", "PRESS", nil), ("a/b", "PRESS", nil), ("", nil, nil),
        ]
        for (topic, text, command) in cases {
            #expect((try? MQTTCommand(topic: topic, below: "a/b", text)) == command, "\(topic)")
        }
        #expect((try? MQTTCommand(topic: "ä/camera/x/snap", below: "ä", nil)) == .snap(camera: "x"))
    }

    @Test("A camera that hangs keeps no other command, and the last one for a series counts")
    func lanes() async throws {
        let (performed, performing) = AsyncStream<MQTTCommand>.makeStream()
        let (hang, release) = AsyncStream<Void>.makeStream()
        let commands = MQTTCommands { command in
            performing.yield(command)
            if command == .snap(camera: "hung") || command == .stop(series: "s") { for await _ in hang {} }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await commands.run() }
            var events = performed.makeAsyncIterator()
            for command in [MQTTCommand.snap(camera: "hung"), .stop(series: "s"), .snap(camera: "other")] {
                try await commands.start(command)
                #expect(await events.next() == command)
            }
            for command in [MQTTCommand.resume(series: "s"), .stop(series: "s"), .resume(series: "s")] {
                try await commands.start(command)
            }
            try await commands.start(.resume(series: "t"))
            #expect(await events.next() == .resume(series: "t"))
            release.finish()
            #expect(await events.next() == .resume(series: "s"))
            try await commands.start(.snap(camera: "last"))
            #expect(await events.next() == .snap(camera: "last"))
            group.cancelAll()
        }
    }

    @Test("More commands than a limit at the same time are refused")
    func limit() async throws {
        let (hang, release) = AsyncStream<Void>.makeStream()
        let commands = MQTTCommands { _ in for await _ in hang {} }
        for _ in 0..<MQTTCommands.most { try await commands.start(.snap(camera: "a")) }
        let error = await #expect(throws: CaptureError.self) { try await commands.start(.snap(camera: "a")) }
        #expect(error?.code == .limit)
        release.finish()
    }

    @Test("Until a connection lasts, each reason has one line, and only the first connection has one")
    func log() {
        var log = ConnectionLog()
        func lines(_ events: ConnectionLog.Event...) -> [String?] { events.map { log.line(for: $0)?.text } }
        let refused = lines(.disconnected(reason: "x"), .disconnected(reason: "y"), .disconnected(reason: "x"))
        #expect(refused.map { $0 != nil } == [true, true, false])
        #expect(lines(.connected, .disconnected(reason: "z")).map { $0 != nil } == [true, true])
        #expect(lines(.connected, .disconnected(reason: "z"), .connected).allSatisfy { $0 == nil })
        let topics = lines(.refused(topic: "a", reason: "no"), .refused(topic: "b", reason: "no"))
        #expect(topics[0]?.contains(#""a""#) == true && topics[1] == nil)
        #expect(
            lines(.steady, .disconnected(reason: "z"), .connected, .steady).map { $0 != nil } == [
                true, true, true, false,
            ])
    }
}
#endif
