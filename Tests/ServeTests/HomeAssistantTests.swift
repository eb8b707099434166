// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

@Suite("Home Assistant over MQTT", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct HomeAssistantTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            output: FOLDER/pictures/%05n.jpg
            series:
              hourly: { interval: 1h, output: FOLDER/hourly/%05n.jpg, film: day }
        """

    private static func head(_ port: UInt16) -> String {
        """
        mqtt:
          broker: mqtt://127.0.0.1:\(port)
          user: camera
          password-file: FOLDER/password
          topic: gst-capture/test

        """
    }

    private static func start(
        _ variables: [String: String] = [:], outbox: String? = nil
    ) async throws -> (ServedProgram, Broker) {
        let folder = try ServedProgram.makeFolder()
        let password = folder.appendingPathComponent("password")
        try Data("secret word\n".utf8).write(to: password)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password.path)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("hourly"), withIntermediateDirectories: true)
        let broker = try await Broker(in: folder)
        var head = head(broker.port)
        if let outbox {
            let text = outbox.replacing("FOLDER", with: folder.path)
            try Data(text.utf8).write(to: folder.appendingPathComponent("outbox.yaml"))
            head += "outbox: FOLDER/outbox.yaml\n"
        }
        return (try ServedProgram(cameras, in: folder, head: head, environment: variables), broker)
    }

    @Test("Home Assistant finds each entity, and its schema of discovery accepts the messages")
    func discovery() async throws {
        let (program, broker) = try await Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        // A report may be repeated until the connection is made. The broker then keeps the last message of each topic.
        _ = try await broker.messages(1, "gst-capture/test/series/hourly/state")
        let messages = try await broker.messages(13, "homeassistant/+/+/+/config")
        let components = Set(messages.compactMap { $0.topic.split(separator: "/").dropFirst().first.map(String.init) })
        #expect(components == ["image", "camera", "button", "binary_sensor", "sensor", "switch"])
        try await Self.checkSchema(messages, in: program.folder)
        let ids = messages.compactMap { message in
            (try? JSONSerialization.jsonObject(with: Data(message.payload.utf8)) as? [String: Any])?["unique_id"]
                as? String
        }
        #expect(Set(ids).count == 13)
    }

    /// Checks messages of discovery with the schema of Home Assistant.
    private static func checkSchema(_ messages: [(topic: String, payload: String)], in folder: URL) async throws {
        let file = folder.appendingPathComponent("messages.jsonl")
        let lines = messages.map { "{\"topic\": \"\($0.topic)\", \"config\": \($0.payload)}" }
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        let schema = URL(filePath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "home-assistant.schema.json")
        let script = """
            import json, sys, jsonschema
            schemas = json.load(open(sys.argv[1]))
            for line in open(sys.argv[2]):
                message = json.loads(line)
                component = message["topic"].split("/")[1]
                jsonschema.validate(message["config"], {"$ref": "#/$defs/" + component, **schemas})
            """
        let result = try await ServedProgram.run(
            ["/usr/bin/python3", "-c", script, schema.path, file.path], in: folder)
        #expect(result.status == 0, "\(result.error)")
    }

    @Test("A picture that cannot be sent waits in the outbox, and its target has a problem in words")
    func outbox() async throws {
        let (program, broker) = try await Self.start(
            outbox: """
                targets:
                  nas: { http: "http://127.0.0.1:\(try FreePort.number())" }
                send:
                  - { from: FOLDER/pictures, to: nas }
                """)
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let configs = try await broker.messages(
            2, "homeassistant/+/+/outbox_unsent/config", "homeassistant/+/+/target_nas_problem/config")
        try await Self.checkSchema(configs, in: program.folder)
        #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201)
        let problem = try await broker.message("gst-capture/test/target/nas/state", with: #""problem":true"#)
        #expect(problem.contains("the server does not answer"), "\(problem)")
        let count = try await broker.message("gst-capture/test/outbox/state", with: #""unsent":1"#)
        #expect(count.contains(#""targets":{"nas":1}"#), "\(count)")
        #expect(await program.stop() == 0)
    }

    @Test("Commands capture, stop and resume; wrong and retained ones are ignored")
    func commands() async throws {
        let (program, broker) = try await Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let events = try EventClient(program, "?kind=captured,series")
        _ = try await broker.messages(1, "gst-capture/test/series/hourly/state")
        for payload in ["", "MAYBE", "\u{1}", String(repeating: "x", count: 10_000)] {
            try await broker.publish("gst-capture/test/series/hourly/set", payload)
        }
        try await broker.publish("gst-capture/test/series/none/set", "ON")
        try await broker.publish("gst-capture/test/camera/../snap", "PRESS")
        try await broker.publish("gst-capture/test/series/hourly/set", "OFF")
        while try events.next("series").data["state"] as? String != "stopped" {}
        try await broker.publish("gst-capture/test/series/hourly/set", "ON")
        while try events.next("series").data["state"] as? String != "running" {}
        try await broker.publish("gst-capture/test/camera/garden/snap", "PRESS")
        while try events.next("captured").data["series"] != nil {}
        #expect((try program.get("/api/v1/stills?series=garden").json["stills"] as? [Any])?.isEmpty == false)
    }

    @Test("The last will reports a service that was killed, and the service returns to a broker that was restarted")
    func lastWill() async throws {
        let (program, broker) = try await Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        #expect(try await broker.messages(1, "gst-capture/test/availability")[0].payload == "online")
        await broker.stop()
        let second = try await Broker(in: program.folder, port: broker.port)
        // The new broker knows nothing but what the service reports again.
        #expect(try await second.messages(1, "gst-capture/test/availability")[0].payload == "online")
        _ = try await second.messages(1, "gst-capture/test/series/hourly/state")
        #expect(Set(try await second.messages(12, "homeassistant/+/+/+/config").map(\.topic)).count == 12)
        await program.kill()
        #expect(try await second.messages(1, "gst-capture/test/availability")[0].payload == "offline")
    }

    @Test("The service says farewell to the broker, and ends without an error under systemd, too")
    func end() async throws {
        let socket = try NotifySocket("@gst-capture-\(UUID())")
        let (program, broker) = try await Self.start(["NOTIFY_SOCKET": socket.name])
        defer { try? FileManager.default.removeItem(at: program.folder) }
        #expect(try await broker.messages(1, "gst-capture/test/availability")[0].payload == "online")
        #expect(await program.stop() == 0, "\(program.log)")
        #expect(try await broker.messages(1, "gst-capture/test/availability")[0].payload == "offline")
        // Without a farewell the broker publishes the will, which looks the same.
        let log = await broker.end()
        #expect(log.contains("disconnected.") && !log.contains("closed its connection"), "\(log)")
    }

    @Test("A password that other users can read is an error")
    func refused() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("secret\n".utf8).write(to: folder.appendingPathComponent("password"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.appendingPathComponent("password").path)
        let file = folder.appendingPathComponent("serve.yaml")
        let text = (Self.head(1) + "cameras:\n" + Self.cameras).replacing("FOLDER", with: folder.path)
        try Data(text.utf8).write(to: file)
        let result = try await ServedProgram.run(
            [ServedProgram.program.path, file.path, "--listen", "127.0.0.1:0", "--state", folder.path + "/state"],
            in: folder)
        #expect(result.status == 77 && result.error.contains("other users can read it"), "\(result.error)")
    }
}

#endif
