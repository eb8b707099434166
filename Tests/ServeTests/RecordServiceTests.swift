// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Records of a service process", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct RecordServiceTests {
    private static let cameras = "  garden: {camera: scene, width: 320, height: 240}\n"
    private static let head = "records: FOLDER/note.yaml\n"
    private static let note = "title: Note\nkey: text\nfields: [{name: text, required: yes}]\nsides: [{name: front}]\n"
    private static let notes = "/api/v1/records/note"

    private static func folder() throws -> URL {
        let folder = try ServedProgram.makeFolder()
        try Data(note.utf8).write(to: folder.appendingPathComponent("note.yaml"))
        return folder
    }

    @Test("A record whose creation was acknowledged survives a SIGKILL with its picture, and a repeat creates no other")
    func killed() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try ServedProgram(Self.cameras, in: folder, head: Self.head)
        let picture = try first.request("POST", "/api/v1/cameras/garden/snap").body
        let blob = try first.send("POST", "/api/v1/records/blobs", picture, type: "image/jpeg")
        #expect(blob.status == 201)
        let json = #"{"fields": {"text": "one"}, "sides": {"front": {"blob": \#(blob.text)}}}"#
        let created = try first.send("POST", Self.notes, json: json, "Idempotency-Key: one")
        await first.kill()
        #expect(created.status == 201, "\(created.text)")
        let second = try ServedProgram(Self.cameras, in: folder, head: Self.head)
        let list = try second.get(Self.notes).json
        #expect(list["total"] as? Int == 1)
        let record = (list["records"] as? [[String: Any]])?.first
        #expect(record?["id"] as? String == created.json["id"] as? String)
        let sha256 = try #require(blob.json["sha256"] as? String)
        #expect(try second.get("/api/v1/records/blobs/\(sha256)").body == picture)
        // Responses with values of persons are not kept on the disk: the key of the kind refuses the repeat.
        let repeated = try second.send("POST", Self.notes, json: json, "Idempotency-Key: one")
        #expect(repeated.status == 422 && repeated.json["faults"] != nil)
        #expect(!second.log.contains("error"), "\(second.log)")
    }

    @Test("An accepted run of a session makes one record with its form and its crop, also after a SIGKILL")
    func session() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let kind = "fields: [{name: text, required: yes}]\nsides: [{name: front, required: yes}, {name: back}]\n"
        try Data(kind.utf8).write(to: folder.appendingPathComponent("note.yaml"))
        let stages = "fields: [{name: text}]\nstages: [{name: front, outline: card, crop: outline}]\n"
        try Data(("start: trigger\ncountdown: 0\n" + stages).utf8)
            .write(to: folder.appendingPathComponent("cards.yaml"))
        let cameras =
            Self.cameras + "sessions:\n  desk: {session: FOLDER/cards.yaml, output: FOLDER, record: note}\n"
        let first = try ServedProgram(cameras, in: folder, head: Self.head)
        let events = try EventClient(first)
        _ = try first.request("POST", "/api/v1/sessions/desk/start")
        #expect(try first.send("POST", "/api/v1/sessions/desk/fill", json: #"{"text": "Zaphod"}"#).status == 200)
        while try events.next("phase").data["phase"] as? String != "ready" {}
        _ = try first.request("POST", "/api/v1/sessions/desk/capture")
        _ = try events.next("review")
        #expect(try first.request("POST", "/api/v1/sessions/desk/accept").status == 200)
        let run = try #require(try events.next("finished").data["run"] as? String)
        await first.kill()
        let second = try ServedProgram(cameras, in: folder, head: Self.head)
        while try second.get(Self.notes).json["total"] as? Int == 0 { try Task.checkCancellation() }
        let records = try #require(try second.get(Self.notes).json["records"] as? [[String: Any]])
        let (record, id) = (try #require(records.first), try #require(records.first?["id"] as? String))
        #expect(records.count == 1 && record["fields"] as? [String: String] == ["text": "Zaphod"])
        let front = (record["sides"] as? [String: [String: Any]])?["front"]
        #expect((front?["origin"] as? [String: Any])?["outline"] as? String == "card")
        let path = "\(Self.notes)/\(id)/sides/back"
        let taken = try second.send(
            "POST", path, json: #"{"run": "\#(run)", "stage": "front"}"#, "If-Match: \"1\"")
        #expect(taken.status == 200 && taken.json["revision"] as? Int == 2, "\(taken.text)")
        #expect(try second.send("POST", path, json: #"{"run": "\#(run)"}"#).status == 428)
        #expect(try second.send("POST", path, json: #"{"run": "x"}"#, "If-Match: \"2\"").status == 404)
        #expect(!second.log.contains("Zaphod"))
    }

    @Test("A damaged database is one line in the log, and cameras work")
    func damaged() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let records = folder.appendingPathComponent("state/records")
        try FileManager.default.createDirectory(at: records, withIntermediateDirectories: true)
        try Data(String(repeating: "no database", count: 500).utf8).write(
            to: records.appendingPathComponent("records.db"))
        let program = try ServedProgram(Self.cameras, in: folder, head: Self.head)
        let response = try program.get(Self.notes)
        #expect(response.status == 500 && !response.text.contains(folder.path), "\(response.text)")
        #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 200)
        #expect(program.log.contains("records.db") || program.log.contains("records: is damaged"))
    }
}
#endif
