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
