// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Sessions of strangers over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct StrangerSessionTests {
    private static func program(_ session: String, in folder: URL? = nil) throws -> ServedProgram {
        let own = try folder ?? ServedProgram.makeFolder()
        try Data(session.utf8).write(to: own.appendingPathComponent("club.yaml"))
        return try ServedProgram(
            """
              front: { camera: scene, width: 640, height: 360 }
            sessions:
              club: { session: FOLDER/club.yaml, output: FOLDER }
            """ + "\n", in: own, ownsFolder: folder == nil)
    }

    private static let session = """
        title: Club
        start: trigger
        next-stages: trigger
        countdown: 0s
        share: 10m
        consent: { text: You agree, retention: 30d }
        fields: [{ name: name, required: yes }, { name: size, choices: [S, M] }]
        stages: [{ name: one, outline: card, crop: outline, corners: square }]
        languages: { de: { title: Verein, stages: { one: Schau her } } }
        """

    private func post(_ program: ServedProgram, _ request: String) throws -> ServedProgram.Response {
        try program.request("POST", "/api/v1/sessions/club/\(request)")
    }

    private func wait(_ events: EventClient, for phase: String) throws {
        while try events.next("phase").data["phase"] as? String != phase {}
    }

    /// Starts a session, agrees and fills in the form.
    private func begin(_ program: ServedProgram, _ events: EventClient, query: String = "") throws {
        #expect(try post(program, "start\(query)").status == 201)
        #expect(try post(program, "capture").status == 200)
        try wait(events, for: "consent")
        _ = try post(program, "capture")
        try wait(events, for: "form")
        #expect(try program.send("POST", "/api/v1/sessions/club/fill", json: #"{"name": "Ada"}"#).status == 200)
        _ = try post(program, "capture")
    }

    @Test("A picture of a phone is placed under the outline, and cropped as the command crops it")
    func upload() async throws {
        let program = try Self.program(Self.session)
        let events = try EventClient(program, "?session=club")
        let picture = try program.get("/snapshot").body
        let file = program.folder.appending(path: "phone.jpg")
        try picture.write(to: file)
        // Without a camera, the stage waits for a picture.
        try begin(program, events, query: "?camera=no")
        try wait(events, for: "switching")
        let path = "/api/v1/sessions/club/upload"
        #expect(try program.send("POST", path, Data("no picture".utf8), type: "image/jpeg").status == 422)
        #expect(try program.send("POST", path, picture, type: "text/plain").status == 415)
        #expect(try program.send("POST", path + "?zoom=900", picture, type: "image/jpeg").status == 400)
        #expect(try program.send("POST", path + "?move_x=a", picture, type: "image/jpeg").status == 400)
        // At this zoom the crop is 448 pixels wide. Of other widths, jpegenc leaves the rest of the last block undefined.
        let query = "?move_x=0.1&move_y=-0.05&zoom=1.0125&turn=7"
        #expect(try program.send("POST", path + query, picture, type: "image/jpeg").status == 200)
        let captured = try #require(try events.next("captured").data["picture"] as? [String: Any])
        #expect(captured["origin"] as? String == "library" && captured["source"] == nil)
        _ = try events.next("review")
        _ = try post(program, "accept")
        let run = try #require(try events.next("finished").data["run"] as? String)
        let crop = try program.get("/api/v1/sessions/club/runs/\(run)/pictures/1")
        #expect(crop.status == 200)
        let command = ServedProgram.program.deletingLastPathComponent().appending(path: "gst-capture").path
        let result = try await ServedProgram.run(
            [
                command, "crop", file.path, "--outline", "card", "--move", "10%,-5%", "--zoom", "1.0125", "--turn", "7",
                "--corners", "square", "--quality", "95", "-o", program.folder.appending(path: "own.jpg").path,
            ], in: program.folder)
        #expect(result.status == 0, "\(result.error)")
        #expect(try Data(contentsOf: program.folder.appending(path: "own.jpg")) == crop.body)
    }

    @Test("A run that the end of the service interrupts can be resumed, but not at a kiosk: its pictures are removed")
    func interrupted() async throws {
        for (query, runs) in [("", 1), ("?kiosk=yes", 0)] {
            let folder = try ServedProgram.makeFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let program = try Self.program(Self.session, in: folder)
            let events = try EventClient(program, "?session=club")
            try begin(program, events, query: query)
            _ = try events.next("review")
            #expect(await program.stop() == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.count { $0.hasPrefix("club-") } == runs)
        }
    }

    @Test("Pictures are removed when the time that the consent named is over, also by a later service")
    func retention() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try Self.program(Self.session, in: folder)
        let events = try EventClient(first, "?session=club")
        try begin(first, events)
        _ = try events.next("review")
        _ = try post(first, "accept")
        let run = try #require(try events.next("finished").data["run"] as? String)
        #expect(await first.stop() == 0)
        let file = folder.appending(path: "\(run)/session.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing(#/"retention_ms": ?[0-9]+/#, with: #""retention_ms": 1"#)
            .write(to: file, atomically: true, encoding: .utf8)
        // A file that is not ours stays.
        let second = try Self.program(Self.session.replacing("retention: 30d", with: "retention: 60d"), in: folder)
        while FileManager.default.fileExists(atPath: folder.appending(path: run).path) {
            _ = try second.get("/api/v1/status")
        }
        #expect((try second.get("/api/v1/sessions/club/runs").json["runs"] as? [Any])?.isEmpty == true)
        #expect(await second.stop() == 0)
    }
}
#endif
