// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Service over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct ServeAPITests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              quick: { interval: 100ms, output: "FOLDER/%05n.jpg" }
        """

    @Test("A picture on request comes from the camera of a running series")
    func snap() throws {
        let program = try ServedProgram(Self.cameras)
        _ = try EventClient(program).next("captured")
        let response = try program.request("POST", "/api/v1/cameras/garden/snap")
        #expect(response.status == 200 && response.head.contains("Content-Type: image/jpeg"))
        #expect(response.head.contains("X-Capture-Time: 2"))
        #expect(response.body.prefix(3) == Data([0xFF, 0xD8, 0xFF]) && response.body.suffix(2) == Data([0xFF, 0xD9]))
    }

    @Test("The state names cameras and series in words, and the last picture")
    func status() throws {
        let program = try ServedProgram(Self.cameras)
        _ = try EventClient(program).next("captured")
        let status = try program.get("/api/v1/status").json
        let camera = try #require((status["cameras"] as? [[String: Any]])?.first)
        #expect(camera["message"] as? String == "delivers frames" && camera["id"] as? String == "garden")
        let series = try #require((status["series"] as? [[String: Any]])?.first)
        #expect(
            series["state"] as? String == "running"
                && (series["last_picture"] as? [String: Any])?["width"] as? Int == 320)
        #expect(try program.get("/api/v1/cameras/garden").json["id"] as? String == "garden")
        #expect(try program.get("/api/v1/series/quick").json["camera"] as? String == "garden")
        #expect(try program.get("/healthz").text == "ok\n")
        #expect(try program.get("/readyz").text == "ready\n")
    }

    @Test("A series pauses and resumes on request, and events and the log report it")
    func pause() throws {
        let program = try ServedProgram(Self.cameras)
        let events = try EventClient(program, "?kind=series,captured")
        _ = try events.next("captured")
        #expect(try program.request("POST", "/api/v1/series/quick/pause").status == 202)
        while try events.next("series").data["state"] as? String != "paused" {}
        #expect(try program.get("/api/v1/series/quick").json["state"] as? String == "paused")
        #expect(try program.request("POST", "/api/v1/series/quick/resume").status == 202)
        while try events.next("series").data["state"] as? String != "running" {}
        _ = try events.next("captured")
        #expect(try program.request("POST", "/api/v1/series/quick/stop").status == 202)
        while try events.next("series").data["state"] as? String != "stopped" {}
        #expect(program.log.contains("POST /api/v1/series/quick/pause"))
    }

    @Test("Pages list all pictures once, newest first, and each can be read by its ID")
    func stills() async throws {
        let program = try ServedProgram(Self.cameras.replacing("100ms,", with: "100ms, count: 7,"))
        let events = try EventClient(program, "", "Last-Event-ID: 0")
        while let event = events.next(), !"\(event.data)".contains("completed") {}
        let lines = try program.get("/api/v1/ledger/quick").text.split(separator: "\n")
        let stored = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
            .compactMap { $0["still"] as? String }
        #expect(!stored.isEmpty && !lines[0].contains(program.folder.path))
        var (ids, next): ([String], String?) = ([], "")
        while let cursor = next {
            let page = try program.get("/api/v1/stills?limit=3" + (cursor.isEmpty ? "" : "&before=\(cursor)")).json
            ids += try #require(page["stills"] as? [[String: Any]]).compactMap { $0["id"] as? String }
            next = page["next"] as? String
        }
        #expect(ids == stored.reversed())
        let picture = try program.get("/api/v1/stills/\(stored[0])")
        let file = try Data(contentsOf: program.folder.appendingPathComponent("00001.jpg"))
        #expect(picture.body == file && picture.head.contains("Content-Type: image/jpeg"))
        let csv = try program.get("/api/v1/ledger/quick?format=csv&outcome=captured").text.split(separator: "\r\n")
        #expect(csv.count == stored.count + 1 && csv[0].hasPrefix("still,run,slot,"))
        #expect(await program.stop() == 0)
    }

    @Test("A client continues after the last event that it knows, and a client of an earlier process gets the state")
    func replay() throws {
        let program = try ServedProgram(Self.cameras)
        let first = try EventClient(program, "?kind=captured")
        #expect(first.next()?.name == "snapshot")
        let (second, third) = (try first.next("captured"), try first.next("captured"))
        let again = try EventClient(program, "?kind=captured", "Last-Event-ID: \(second.id)")
        #expect(again.next()?.id == third.id)
        for unknown in ["x-1", "\(second.id)9999", "", "-", "1", "\(second.id)-1", String(repeating: "9", count: 4000)]
        {
            let client = try EventClient(program, "", "Last-Event-ID: \(unknown)")
            #expect(client.next()?.name == "snapshot", "\(unknown)")
        }
    }

    @Test("Events of other cameras and series are left out")
    func filter() throws {
        let program = try ServedProgram(
            Self.cameras
                + "\n  desk:\n    camera: scene\n    width: 320\n    height: 240\n    series:\n      slow: { interval: 100ms, output: FOLDER/desk-%n.jpg }\n"
        )
        let client = try EventClient(program, "?camera=desk&kind=captured")
        _ = client.next()
        for _ in 0..<3 { #expect(client.next()?.data["series"] as? String == "slow") }
    }

    @Test("SIGHUP reloads the configuration, and a mistake in it changes nothing")
    func reload() throws {
        let program = try ServedProgram(Self.cameras)
        let events = try EventClient(program)
        _ = try events.next("captured")
        try program.reload(Self.cameras.replacing("quick", with: "other"))
        _ = try events.next("reloaded")
        let series = try program.get("/api/v1/series").json["series"] as? [[String: Any]]
        #expect(series?.map { $0["id"] as? String } == ["other"])
        try program.reload("  garden: { width: x }\n")
        while !program.log.contains("configuration not reloaded:") { _ = try events.next("captured") }
        #expect(program.log.contains("serve.yaml:2:20: width: \"x\" is not a whole number"))
    }

    @Test("SIGTERM ends events, series and the service, with the last picture in its ledger")
    func stop() async throws {
        let program = try ServedProgram(Self.cameras)
        let events = try EventClient(program, "?kind=captured")
        _ = try events.next("captured")
        program.terminate()
        while events.next() != nil {}
        #expect(await program.status() == 0)
        let output = Pipe()
        let ledger = try ChildProgram(
            [
                ServedProgram.built("gst-capture").path, "ledger", program.folder.path, "--outcome", "captured",
                "--verify",
            ],
            output: .pipe(output))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        let count = names.count { $0.hasSuffix(".jpg") }
        #expect(await ledger.status() == 0 && text.hasPrefix("\(count) picture"), "\(text)")
    }

    @Test("A service that was killed resumes its series, and the ledger accounts for each slot")
    func killed() async throws {
        let first = try ServedProgram(Self.cameras)
        _ = try EventClient(first).next("captured")
        await first.kill()
        let second = try ServedProgram(Self.cameras, in: first.folder)
        let events = try EventClient(second, "?kind=captured,series")
        _ = try events.next("captured")
        // The lines of slots that are being captured follow those of later slots that were missed.
        #expect(try second.request("POST", "/api/v1/series/quick/pause").status == 202)
        while try events.next("series").data["state"] as? String != "paused" {}
        let lines = try second.get("/api/v1/ledger/quick").text.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        let slots = lines.compactMap { line -> ClosedRange<Int>? in
            guard let first = line["slot"] as? Int, let last = line["last_slot"] as? Int else { return nil }
            return first...last
        }.sorted { $0.lowerBound < $1.lowerBound }
        #expect(slots.map(\.lowerBound) == [0] + slots.dropLast().map { $0.upperBound + 1 })
        #expect(Set(lines.compactMap { $0["run"] as? Int }) == [1, 2])
    }

    @Test("A configuration is checked without starting anything, and a mistake ends with status 78")
    func check() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("serve.yaml")
        for (text, status, output) in [
            (Self.cameras, Int32(0), "series quick: every 100ms"), ("  a: { widht: 1 }\n", 78, "did you mean"),
        ] {
            try Data(ServedProgram.text(text, folder).utf8).write(to: file)
            let pipe = Pipe()
            let command = try ChildProgram(
                [ServedProgram.built("gst-capture").path, "serve", file.path, "--check"], output: .pipe(pipe),
                error: .pipe(pipe))
            let printed = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            #expect(await command.status() == status && printed.contains(output), "\(printed)")
        }
    }
}
#endif
