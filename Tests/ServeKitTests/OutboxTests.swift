// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
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

    @Test("A service without an outbox has none")
    func none() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let response = try await service.get("/api/v1/outbox")
            #expect(response.status == 404)
        }
    }
}
#endif
