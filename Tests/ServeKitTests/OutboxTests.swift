// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LibraryKit
import ServiceKit
import SessionKit
import Testing
import UploadKit

@testable import ServeKit

@Suite("The outbox of a service", .timeLimit(.minutes(1)))
struct OutboxTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 640
            height: 480
            output: FOLDER/pictures/%05n.jpg

        """

    /// Runs a service with an outbox that has a target and no sender.
    private static func run(
        tokens: [String: Role]? = nil, _ body: (MemoryService, [String: String]) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "outbox.yaml",
            """
            targets:
              nas: {http: "http://127.0.0.1:9"}
            send:
              - {from: \(folder.path)/pictures, to: nas}
            """)
        try await MemoryService.run(
            cameras, head: "outbox: FOLDER/outbox.yaml\n", in: folder, tokens: tokens, body)
    }

    @Test func `A session with a retention needs targets that can erase`() throws {
        let folder = try TemporaryFolder()
        let text = "consent: {text: Yes, retention: 30d}\nstages: [{name: front}]\n"
        let file = try SessionFile(path: "portrait.yaml", bytes: Array(text.utf8))
        let sessions = ["kiosk", "other"].map { name in
            ServiceSession(id: name, file: file, cameras: [:], output: folder.path + "/" + name)
        }
        func check(_ erase: String) throws -> CaptureError? {
            let text = """
                targets:
                  nas: {http: "http://127.0.0.1:9"\(erase)}
                send:
                  - {sessions: \(folder.path)/kiosk, to: nas}
                """
            let configuration = try OutboxConfiguration(Array(text.utf8), file: "outbox.yaml")
            do throws(CaptureError) { try configuration.check(sessions) } catch { return error }
            return nil
        }
        let error = try #require(try check(""))
        #expect(error.code == .configuration && error.description.contains("session kiosk: has a retention"))
        #expect(try check(", erase: yes") == nil)
    }

    private static func store(_ service: MemoryService) throws -> OutboxStore {
        try OutboxStore(folder: service.folder.path + "/state/outbox")
    }

    private static func targets(_ response: MemoryService.Response) -> [[String: Any]] {
        response.json["targets"] as? [[String: Any]] ?? []
    }

    @Test("A picture that is captured waits for its targets, also in the metrics")
    func waits() async throws {
        try await Self.run { service, _ in
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            let target = try #require(Self.targets(try await service.get("/api/v1/outbox")).first)
            #expect(target["target"] as? String == "nas" && target["waiting"] as? Int == 1)
            let metrics = try await service.get("/metrics").text
            for line in [
                #"gst_capture_outbox_queue_length{target="nas"} 1"#, #"gst_capture_outbox_target_up{target="nas"} 1"#,
                "gst_capture_outbox_fault 0",
            ] {
                #expect(metrics.contains(line), "\(line)")
            }
        }
    }

    @Test("Requests reach the sender, and those for other targets and pictures are refused")
    func requests() async throws {
        try await Self.run { service, _ in
            let store = try Self.store(service)
            let lane = OutboxStore.Lane(target: "nas", source: try store.source("/a.ledger", identity: "1"))
            let picture = UploadPicture(
                line: 1, path: "/secret/a.jpg", byteCount: 5, sha256: String(repeating: "0", count: 64), taken: .test(0)
            )
            var job = try #require(try store.take(1...1, [(picture, "a.jpg")], lane).first)
            (job.state, job.reason) = (.dead, "too large")
            try store.update(job)
            let jobs = try await service.get("/api/v1/outbox/targets/nas/jobs")
            #expect(jobs.text.contains("too large") && !jobs.text.contains("/secret"))
            #expect((jobs.json["jobs"] as? [[String: Any]])?.first?["kind"] as? String == "send")
            let waiting = try await service.get("/api/v1/outbox/targets/nas/jobs?state=waiting").json["jobs"]
            #expect((waiting as? [Any])?.isEmpty == true)
            #expect(try await service.get("/api/v1/outbox/targets/nas/jobs?state=all").status == 400)
            for (path, status) in [
                ("nas/pause", 204), ("nas/jobs/\(job.id)/retry", 204), ("nas/jobs/99/drop", 404), ("was/retry", 404),
                ("nas/jobs/0x1/retry", 404),
            ] {
                #expect(try await service.request("POST", "/api/v1/outbox/targets/\(path)").status == status, "\(path)")
            }
            let expected = [OutboxRequest(.pause, target: "nas"), OutboxRequest(.retry, target: "nas", job: job.id)]
            #expect(try store.takeRequests() == expected)
        }
    }

    @Test("A series of a service removes the pictures that its targets have, and keeps the others")
    func removesSent() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "outbox.yaml",
            """
            targets:
              nas: {webdav: "http://127.0.0.1:9/photos"}
            send:
              - {from: \(folder.path)/yard, to: nas}
            """)
        try FileManager.default.createDirectory(atPath: folder.path + "/yard", withIntermediateDirectories: true)
        let cameras = """
              garden:
                camera: scene
                width: 160
                height: 120
                series:
                  yard: {interval: 200ms, output: FOLDER/yard/%n.jpg, max-age-sent: 1s}

            """
        try await MemoryService.run(cameras, head: "outbox: FOLDER/outbox.yaml\n", in: folder) { service in
            let events = try await MemoryEvents(service)
            var count = 0
            while count < 10 {
                let event = try #require(await events.next())
                #expect(event.name != "removed")
                if event.name == "captured" { count += 1 }
            }
            let ledger = DeviceFiles.names(in: folder.path + "/yard/.gst-capture").first { $0.hasSuffix(".ledger") }
            let path = try folder.path + "/yard/.gst-capture/" + #require(ledger)
            let uploads = try #require(try LedgerUploads(path))
            let store = try Self.store(service)
            let lane = OutboxStore.Lane(target: "nas", source: try store.source(path, identity: uploads.identity))
            _ = try store.take(1...(try uploads.newestLine()), [], lane)
            _ = try await events.next("removed")
            #expect(!DeviceFiles.exists(folder.path + "/yard/1.jpg"))
            _ = try await events.next("captured")
            #expect(DeviceFiles.names(in: folder.path + "/yard").contains { $0.hasSuffix(".jpg") })
        }
    }

    @Test("Viewers see the outbox, and only others change it")
    func roles() async throws {
        try await Self.run(tokens: ["view": .view, "capture": .capture]) { service, fields in
            let (viewer, other) = (fields["view"] ?? "", fields["capture"] ?? "")
            let retry = "/api/v1/outbox/targets/nas/retry"
            let seen = try await service.get("/api/v1/outbox", viewer)
            let refused = try await service.request("POST", retry, viewer)
            let accepted = try await service.request("POST", retry, other)
            #expect([seen, refused, accepted].map(\.status) == [200, 403, 204])
        }
    }

    /// Captures a picture, and returns its ID in the library, with its lane at the target.
    private static func snap(_ service: MemoryService) async throws -> (id: String, lane: OutboxStore.Lane) {
        var arrivals = service.feed.arrivals.makeAsyncIterator()
        #expect(try await service.request("POST", "/api/v1/cameras/garden/snap").status == 201)
        while true {
            let items = try await service.get("/api/v1/library/items").json["items"] as? [[String: Any]] ?? []
            if let text = items.first?["id"] as? String, text.hasSuffix(".garden-1"), let id = ItemID(text) {
                let ledger = try #require(try service.library.index.ledger(of: id))
                let source = try store(service).source(ledger.path, identity: ledger.identity)
                return (text, OutboxStore.Lane(target: "nas", source: source))
            }
            _ = try #require(await arrivals.next())
        }
    }

    private static func picture() -> (picture: UploadPicture, name: String) {
        let hash = String(repeating: "0", count: 64)
        return (UploadPicture(line: 1, path: "/a.jpg", byteCount: 5, sha256: hash, taken: .test(0)), "a.jpg")
    }

    @Test("A picture of the library has its state at each target to which it goes")
    func uploads() async throws {
        try await Self.run { service, _ in
            let (id, lane) = try await Self.snap(service)
            let path = "/api/v1/library/items/\(id)/uploads"
            func expect(_ state: [String: String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
                let uploads = try await service.get(path).json["uploads"] as? [[String: String]]
                #expect(uploads == [state], sourceLocation: sourceLocation)
            }
            try await expect(["target": "nas", "state": "waiting"])
            let store = try Self.store(service)
            var job = try #require(try store.take(1...1, [Self.picture()], lane).first)
            (job.state, job.reason) = (.dead, "too large")
            try store.update(job)
            try await expect(["target": "nas", "state": "dead", "reason": "too large"])
            try store.finish(job, at: .test(1))
            try await expect(["target": "nas", "state": "sent"])
            #expect(try await service.get("/api/v1/library/items/board.garden-9/uploads").status == 404)
            let list = try await service.get("/api/v1/library/items")
            #expect(!list.text.contains("uploads"))
        }
    }

    @Test("Clients that listen to events hear of a change of the outbox, unless they want other events")
    func events() async throws {
        try await Self.run { service, _ in
            let client = try await MemoryEvents(service)
            let other = try await MemoryEvents(service, "?kind=series,captured")
            let first = try await client.next("outbox")
            #expect(first.id.isEmpty && first.data["at"] != nil)
            let store = try Self.store(service)
            _ = try store.source("/a.ledger", identity: "1")
            _ = try await client.next("outbox")
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            var names: [String] = []
            while names.last != "captured" { names.append(try #require(await other.next()).name) }
            #expect(!names.contains("outbox"))
        }
    }

    @Test("Only a service with an outbox offers it to its page")
    func offers() async throws {
        try await Self.run { service, _ in
            let offers = try await service.get("/api/v1/me").json["offers"] as? [String]
            #expect(offers == ["outbox"])
        }
        try await MemoryService.run(Self.cameras) { service in
            let offers = try await service.get("/api/v1/me").json["offers"] as? [String]
            #expect(offers == [])
            for path in ["outbox", "library/items/a.b-1/uploads"] {
                #expect(try await service.get("/api/v1/\(path)").status == 404)
            }
        }
    }

    @Test func `Series that need an outbox are checked before they begin`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "outbox.yaml",
            """
            targets:
              nas: {webdav: "http://127.0.0.1:9"}
              web: {http: "http://127.0.0.1:9"}
            send:
              - {from: \(folder.path)/garden, to: nas}
              - {from: \(folder.path)/yard, to: web}
            """)
        func error(_ series: String, _ settings: String, head: String = "outbox: FOLDER/outbox.yaml\n") -> String? {
            let text =
                head + """
                    cameras:
                      cam:
                        camera: scene
                        series:
                          \(series): {interval: 1m, output: FOLDER/\(series)/%n.jpg, \(settings)}
                    """
            let bytes = Array(text.replacing("FOLDER", with: folder.path).utf8)
            do throws(CaptureError) {
                try ServiceOutbox.check(try ServiceConfiguration(path: "serve.yaml", bytes: bytes))
                return nil
            } catch {
                #expect(error.code == .configuration)
                return error.description
            }
        }
        #expect(error("garden", "max-age-sent: 7d") == nil)
        let needs = "needs a hash or reading back"
        #expect(
            error("yard", "max-age-sent: 7d")?.contains("web: confirms by an answer alone; max-age-sent \(needs)")
                == true)
        #expect(error("field", "max-age-sent: 7d")?.contains("sends no pictures of \(folder.path)/field") == true)
        #expect(error("field", "max-count: 9, on-limit: prune") == nil)
        #expect(error("garden", "max-age-sent: 7d", head: "")?.contains("needs the outbox of the service") == true)
        #expect(error("garden", "outbox: /a.yaml")?.contains("belongs to the service") == true)
        #expect(error("garden", "max-age-sent: 7d, max-count: 9, on-limit: thin")?.contains("on-limit thin") == true)
    }
}
#endif
