// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// A Mosquitto with a user, as a separate process.
private final class Broker: Sendable {
    let port: UInt16
    private let process: ChildProgram
    private let folder: URL

    /// Starts a broker at a port, and waits until it listens.
    init(in folder: URL, port: UInt16? = nil) async throws {
        self.folder = folder
        self.port = try port ?? Self.freePort()
        let file = folder.appendingPathComponent("mosquitto.conf")
        let passwords = folder.appendingPathComponent("passwords")
        if port == nil {
            let result = try await ServedProgram.run(
                ["/usr/bin/mosquitto_passwd", "-b", "-c", passwords.path, "camera", "secret word"], in: folder)
            try #require(result.status == 0, "\(result.error)")
        }
        let text = """
            listener \(self.port) 127.0.0.1
            password_file \(passwords.path)
            allow_anonymous false
            user \(NSUserName())
            log_dest stderr
            log_type all
            """
        try Data(text.utf8).write(to: file)
        let output = Pipe()
        process = try ChildProgram(
            ["/usr/sbin/mosquitto", "-c", file.path], in: folder, output: .pipe(output), error: .pipe(output))
        var log = ""
        while !log.contains("running") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(log)")
            log += String(decoding: data, as: UTF8.self)
        }
        // The rest of the log must not fill the pipe.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    }

    deinit { process.send(SIGKILL) }

    func stop() async {
        process.send(SIGTERM)
        _ = await process.status()
    }

    /// Waits for messages on topics, each as its topic and its payload.
    func messages(_ count: Int, _ topics: String...) async throws -> [(topic: String, payload: String)] {
        let line =
            [
                "/usr/bin/mosquitto_sub", "-p", "\(port)", "-u", "camera", "-P", "secret word", "-v", "-C", "\(count)",
                "-W", "60",
            ]
            + topics.flatMap { ["-t", $0] }
        let result = try await ServedProgram.run(line, in: folder)
        try #require(result.status == 0, "\(result.output) \(result.error)")
        return result.output.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    func publish(_ topic: String, _ payload: String, _ options: String...) async throws {
        let result = try await ServedProgram.run(
            [
                "/usr/bin/mosquitto_pub", "-p", "\(port)", "-u", "camera", "-P", "secret word", "-t", topic, "-m",
                payload,
            ] + options,
            in: folder)
        try #require(result.status == 0, "\(result.error)")
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}

@Suite("Home Assistant over MQTT", .serialized, .timeLimit(.minutes(5)))
struct HomeAssistantTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            output: FOLDER/pictures/%05n.jpg
            series:
              hourly: { interval: 1h, output: FOLDER/hourly/%05n.jpg }
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

    private static func start(_ variables: [String: String] = [:]) async throws -> (ServedProgram, Broker) {
        let folder = try ServedProgram.makeFolder()
        let password = folder.appendingPathComponent("password")
        try Data("secret word\n".utf8).write(to: password)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password.path)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("hourly"), withIntermediateDirectories: true)
        let broker = try await Broker(in: folder)
        return (
            try ServedProgram(cameras, in: folder, head: head(broker.port), environment: variables), broker
        )
    }

    @Test("Home Assistant finds each entity, and its schema of discovery accepts the messages")
    func discovery() async throws {
        let (program, broker) = try await Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let messages = try await broker.messages(12, "homeassistant/+/+/+/config")
        let components = Set(messages.compactMap { $0.topic.split(separator: "/").dropFirst().first.map(String.init) })
        #expect(components == ["image", "camera", "button", "binary_sensor", "sensor", "switch"])
        let file = program.folder.appendingPathComponent("messages.jsonl")
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
            ["/usr/bin/python3", "-c", script, schema.path, file.path], in: program.folder)
        #expect(result.status == 0, "\(result.error)")
        let ids = messages.compactMap { message in
            (try? JSONSerialization.jsonObject(with: Data(message.payload.utf8)) as? [String: Any])?["unique_id"]
                as? String
        }
        #expect(Set(ids).count == 12)
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
        #expect(try await second.messages(12, "homeassistant/+/+/+/config").count == 12)
        await program.kill()
        #expect(try await second.messages(1, "gst-capture/test/availability")[0].payload == "offline")
    }

    @Test("The service ends without an error under systemd, too, whose status ends with the events")
    func end() async throws {
        let socket = try NotifySocket("@gst-capture-\(UUID())")
        let (program, broker) = try await Self.start(["NOTIFY_SOCKET": socket.name])
        defer { try? FileManager.default.removeItem(at: program.folder) }
        #expect(try await broker.messages(1, "gst-capture/test/availability")[0].payload == "online")
        #expect(await program.stop() == 0, "\(program.log)")
        #expect(try await broker.messages(1, "gst-capture/test/availability")[0].payload == "offline")
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
