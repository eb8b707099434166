// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// An HTTP server that checks the signatures of webhooks with Python's own HMAC, and prints each request as JSON.
private final class Receiver: Sendable {
    struct Event: Decodable, Equatable {
        let id: String
        let valid: Bool
        let type: String
        let session: String
        let fresh: Bool
    }

    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private static let program = """
        import base64, hashlib, hmac, http.server, json, sys, time
        key = base64.b64decode(sys.argv[2][len('whsec_'):])
        statuses = [int(status) for status in sys.argv[3].split(',')]
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                id, stamp = self.headers['webhook-id'], self.headers['webhook-timestamp']
                digest = hmac.new(key, f'{id}.{stamp}.'.encode() + body, hashlib.sha256).digest()
                wanted = 'v1,' + base64.b64encode(digest).decode()
                status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
                self.send_response(status)
                self.send_header('Content-Length', '0')
                self.end_headers()
                event = json.loads(body)
                print(json.dumps({
                    'id': id, 'valid': hmac.compare_digest(wanted, self.headers['webhook-signature']),
                    'type': event['type'], 'session': event['data']['session'],
                    'fresh': abs(time.time() - int(stamp)) < 60}), flush=True)
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
        print('ready', flush=True)
        server.serve_forever()
        """

    private let process: ChildProgram
    private let output = Pipe()

    /// Starts a receiver, and waits until it listens.
    ///
    /// - Parameter statuses: The statuses of its responses, in their order; the last one is repeated.
    init(port: UInt16, statuses: String = "204", in folder: URL) throws {
        process = try ChildProgram(
            ["/usr/bin/python3", "-c", Self.program, "\(port)", Self.secret, statuses], in: folder,
            output: .pipe(output), error: .null)
        var line = ""
        while !line.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the receiver has ended")
            line += String(decoding: data, as: UTF8.self)
        }
    }

    deinit { process.send(SIGKILL) }

    /// Waits for events up to one of a type.
    func events(to last: String) throws -> [Event] {
        var (events, text) = ([Event](), "")
        while events.last?.type != last {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty)
            text += String(decoding: data, as: UTF8.self)
            while let end = text.firstIndex(of: "\n") {
                events.append(try JSONDecoder().decode(Event.self, from: Data(text[..<end].utf8)))
                text = String(text[text.index(after: end)...])
            }
        }
        return events
    }
}

@Suite("Analytics", .ownThread, .timeLimit(.minutes(2)))
struct AnalyticsTests {
    /// The folder of a service with a session and a webhook.
    private final class Place {
        let folder: URL
        let port: UInt16

        init() throws {
            (folder, port) = (try ServedProgram.makeFolder(), try FreePort.number())
            let session = """
                title: Two
                start: trigger
                countdown: 1s
                tutorial: [Welcome, Smile]
                stages: [{ name: one }]
                """
            try Data(session.utf8).write(to: folder.appendingPathComponent("two.yaml"))
            let secret = folder.appendingPathComponent("secret")
            try Data((Receiver.secret + "\n").utf8).write(to: secret)
            chmod(secret.path, 0o600)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// - Parameter head: The section of the receiver; `nil` for that of the webhook.
        func start(_ head: String? = nil) throws -> ServedProgram {
            try ServedProgram(
                """
                  front: { camera: scene, width: 320, height: 240 }
                sessions:
                  two: { session: FOLDER/two.yaml, output: FOLDER }
                """, in: folder,
                head: head
                    ?? "analytics: { webhook: \"http://127.0.0.1:\(port)/events\", secret-file: FOLDER/secret }\n")
        }
    }

    /// Runs a session to its end: skips the tutorial, captures, and accepts.
    private static func runSession(_ program: ServedProgram) throws {
        let events = try EventClient(program, "?session=two")
        func post(_ request: String) throws { _ = try program.request("POST", "/api/v1/sessions/two/\(request)") }
        try post("start")
        while let event = events.next(), event.name != "finished" {
            switch (event.name, event.data["phase"] as? String) {
            case ("phase", "ready"): try post("capture")
            case ("phase", "tutorial"): try post("skip")
            case ("phase", "armed"): try post("capture")
            case ("review", _): try post("accept")
            default: break
            }
        }
    }

    @Test("A webhook gets the events of a session in their order, signed")
    func webhook() async throws {
        let place = try Place()
        let receiver = try Receiver(port: place.port, in: place.folder)
        let program = try place.start()
        try Self.runSession(program)
        let events = try receiver.events(to: "session.accepted")
        #expect(events.allSatisfy { $0.valid && $0.fresh && $0.session == "two" })
        #expect(Set(events.map(\.id)).count == events.count)
        #expect(
            events.map(\.type) == [
                "session.opened", "tutorial.started", "tutorial.skipped", "stage.started", "countdown.started",
                "picture.captured", "stage.completed", "review.started", "session.accepted",
            ])
        // The receiver has printed the last event before the service has its response.
        try program.awaitMetric("gst_capture_analytics_delivered_total 9")
        #expect(await program.stop() == 0)
    }

    @Test("A queue that is damaged keeps no camera off, and is a fault of a service that is ready")
    func damaged() async throws {
        let place = try Place()
        let state = place.folder.appendingPathComponent("state")
        try FileManager.default.createDirectory(
            at: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data("this is no database at all, but a damaged file".utf8)
            .write(to: state.appendingPathComponent("analytics.db"))
        let program = try place.start()
        let status = try program.get("/api/v1/status").json
        #expect(status["ready"] as? Bool == true)
        // The sender opens the queue when the servers have begun to listen.
        try program.awaitMetric("gst_capture_analytics_fault 1")
        let faults = try #require(try program.get("/api/v1/status").json["faults"] as? [String])
        #expect(faults.contains { $0.hasPrefix("analytics: ") && $0.contains("analytics.db") }, "\(faults)")
        #expect(try program.get("/api/v1/cameras/front").status == 200)
        #expect(await program.stop() == 0)
    }

    @Test("Events of a service that was killed while its receiver was away are delivered after both are back")
    func kill() async throws {
        let place = try Place()
        let first = try place.start()
        try Self.runSession(first)
        try first.awaitMetric("gst_capture_analytics_queue_length 9")
        await first.kill()
        let receiver = try Receiver(port: place.port, in: place.folder)
        let second = try place.start()
        let events = try receiver.events(to: "session.accepted")
        #expect(events.count == 9 && events.allSatisfy(\.valid))
        #expect(await second.stop() == 0)
    }

    @Test("An MQTT broker gets the events of a session")
    func mqtt() async throws {
        let place = try Place()
        let password = place.folder.appendingPathComponent("password")
        try Data("secret word\n".utf8).write(to: password)
        chmod(password.path, 0o600)
        let broker = try await Broker(in: place.folder)
        let topic = "gst-capture/test/analytics"
        try await broker.subscribe("reader", topic)
        let program = try place.start(
            """
            mqtt:
              { broker: "mqtt://127.0.0.1:\(broker.port)", user: camera, password-file: FOLDER/password,
                topic: gst-capture/test }
            analytics: { mqtt: yes }

            """)
        try Self.runSession(program)
        let messages = try await broker.messages(9, topic, name: "reader")
        #expect(messages.first?.payload.contains(#""type":"session.opened""#) == true)
        #expect(messages.last?.payload.contains(#""type":"session.accepted""#) == true)
        #expect(await program.stop() == 0)
    }

    @Test("An event that the receiver refuses is dropped, and the next ones are delivered")
    func refused() async throws {
        let place = try Place()
        let receiver = try Receiver(port: place.port, statuses: "400,204", in: place.folder)
        let program = try place.start()
        try Self.runSession(program)
        let events = try receiver.events(to: "session.accepted")
        #expect(events.count == 9)
        let metrics = try program.get("/metrics").text
        #expect(metrics.contains("gst_capture_analytics_dropped_total 1"))
        #expect(program.log.contains("event refused: the server refuses the message (400)"))
        #expect(await program.stop() == 0)
    }

    @Test(
        "Mistakes in the section are errors with their place",
        arguments: [
            ("analytics: { webhook: \"ftp://a/b\", secret-file: /a }", "is not an address"),
            ("analytics: { webhook: \"https://a/b\" }", "belong together"),
            ("analytics: { webhook: \"https://a/b\", secret-file: a }", "is not absolute"),
            ("analytics: { mqtt: yes }", "needs a broker"), ("analytics: {}", "names no destination"),
            ("analytics: { mqtt: maybe }", "is not known"), ("analytics: { webhok: a }", "webhook"),
            ("analytics: { mqtt: no, keep-for: 1s }", "out of range"), ("analytics: yes", "is not a section"),
        ])
    func mistakes(section: String, words: String) async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("serve.yaml")
        try Data("cameras: { a: { camera: scene } }\n\(section)\n".utf8).write(to: file)
        let result = try await ServedProgram.run([ServedProgram.program.path, file.path, "--check"], in: folder)
        #expect(result.status == 78)
        #expect(result.error.contains(words) && result.error.contains("serve.yaml:2:"), "\(result.error)")
    }
}
#endif
