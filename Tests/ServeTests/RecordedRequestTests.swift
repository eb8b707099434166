// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Requests with Idempotency-Key", .ownThread, .serialized, .timeLimit(.minutes(10)))
struct RecordedRequestTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            output: FOLDER/pictures/%Y-%m-%d/%H%M%S.jpg
          desk: { camera: scene, width: 320, height: 240 }
        """
    private static let snap = "/api/v1/cameras/garden/snap"

    private static func ids(_ json: [String: Any]) -> [String] {
        (json["stills"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    private static func pictures(_ program: ServedProgram) -> [String] {
        let folder = program.folder.appendingPathComponent("pictures")
        return (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".jpg") }
    }

    @Test("A repeated request has the same response, also after a crash, and captures nothing")
    func repeated() async throws {
        let program = try ServedProgram(Self.cameras)
        let first = try program.request("POST", Self.snap + "?burst=2", "Idempotency-Key: one")
        #expect(first.status == 201 && Self.ids(first.json) == ["garden-1", "garden-2"], "\(first.text)")
        #expect(first.head.contains("Location: /api/v1/stills/garden-1"))
        #expect(try program.request("POST", Self.snap + "?burst=2", "Idempotency-Key: one").body == first.body)
        let picture = try program.request("POST", "/api/v1/cameras/desk/snap", "Idempotency-Key: two")
        #expect(picture.status == 200 && picture.body.prefix(2) == Data([0xFF, 0xD8]))
        #expect(try program.request("POST", "/api/v1/cameras/desk/snap", "Idempotency-Key: two").body == picture.body)
        await program.kill()
        let second = try ServedProgram(Self.cameras, in: program.folder)
        let again = try second.request("POST", Self.snap + "?burst=2", "Idempotency-Key: one")
        #expect(again.status == 201 && again.body == first.body && again.head.contains("Location: "))
        #expect(Self.pictures(second).count == 2)
        // A picture that is not stored is in no file of the service.
        let files = FileManager.default.enumerator(at: second.folder, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where !file.path.contains("/pictures/") {
            #expect((try? Data(contentsOf: file))?.range(of: picture.body.suffix(1000)) == nil, "\(file.path)")
        }
    }

    @Test("A request with respond-async has its result at the location of the response, also after a crash")
    func asynchronous() async throws {
        let program = try ServedProgram(Self.cameras)
        let events = try EventClient(program, "?kind=captured")
        _ = events.next()
        let response = try program.request("POST", Self.snap, "Prefer: respond-async", "Idempotency-Key: one")
        let location = try #require(
            response.head.split(separator: "\r\n").first { $0.hasPrefix("Location: ") }?.dropFirst(10))
        #expect(response.status == 202)
        _ = try events.next("captured")
        var result = try program.get(String(location)).json
        while result["state"] as? String == "pending" { result = try program.get(String(location)).json }
        #expect(result["state"] as? String == "captured" && Self.ids(result) == ["garden-1"])
        let late = try program.request("POST", Self.snap + "?delay=1h", "Prefer: respond-async")
        let lateID = try #require(late.json["id"] as? String)
        await program.kill()
        let second = try ServedProgram(Self.cameras, in: program.folder)
        #expect(Self.ids(try second.get(String(location)).json) == ["garden-1"])
        let interrupted = try second.get("/api/v1/captures/\(lateID)").json
        #expect(interrupted["state"] as? String == "failed", "\(interrupted)")
        #expect(try second.get("/api/v1/captures/\(String(repeating: "0", count: 32))").status == 404)
    }

    @Test("After each of many crashes, acknowledged pictures are there and repeated requests capture no second one")
    func crashes() async throws {
        let rounds = ProcessInfo.processInfo.environment["GST_CAPTURE_KILLS"].flatMap(Int.init) ?? 20
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var answers: [String: Data] = [:]
        for round in 0..<rounds {
            let program = try ServedProgram(Self.cameras, in: folder)
            // The key of the last round, whose response the crash may have prevented, and one that is known.
            for key in ["\(round - 1)-b", "\(round - 1)-a"] where round > 0 {
                let again = try program.request("POST", Self.snap, "Idempotency-Key: \(key)")
                #expect(again.status == 201 && again.body == answers[key] ?? again.body, "\(key): \(again.text)")
                answers[key] = again.body
            }
            let known = try program.request("POST", Self.snap, "Idempotency-Key: \(round)-a")
            #expect(known.status == 201)
            answers["\(round)-a"] = known.body
            let connection = try Connection(program.port)
            let lines = ["POST \(Self.snap) HTTP/1.1", "Host: localhost", "Idempotency-Key: \(round)-b"]
            connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
            // Each round kills the service at another point of the request.
            for _ in 0..<(round % 10) * 3 { _ = try program.get("/healthz") }
            await program.kill()
        }
        let program = try ServedProgram(Self.cameras, in: folder)
        let last = try program.request("POST", Self.snap, "Idempotency-Key: \(rounds - 1)-b")
        answers["\(rounds - 1)-b"] = last.body
        var stills: [String] = []
        for (key, body) in answers {
            let json = try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
            let ids = Self.ids(json)
            #expect(ids.count == 1, "\(key): \(json)")
            for id in ids { #expect(try program.get("/api/v1/stills/\(id)").body.prefix(2) == Data([0xFF, 0xD8])) }
            stills += ids
        }
        #expect(answers.count == 2 * rounds && Set(stills).count == 2 * rounds)
        #expect(Self.pictures(program).count == 2 * rounds)
        let listed = try program.get("/api/v1/stills?series=garden&limit=500").json
        #expect(Set(Self.ids(listed)) == Set(stills))
    }
}
#endif
