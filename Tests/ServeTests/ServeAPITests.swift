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

    @Test("A contact sheet of a series that runs is drawn by the program of the service, and stored nowhere")
    func sheet() throws {
        let program = try ServedProgram(Self.cameras)
        let events = try EventClient(program)
        for _ in 0..<3 { _ = try events.next("captured") }
        let sheet = try program.get("/api/v1/series/quick/sheet?width=800")
        #expect(sheet.status == 200 && sheet.body.starts(with: [0xFF, 0xD8]), "\(sheet.text)")
        #expect(try program.get("/api/v1/series/none/sheet").status == 404)
        #expect(try program.get("/api/v1/series/quick/sheet?width=1").status == 400)
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        #expect(names.filter { $0.hasSuffix(".jpg") }.allSatisfy { $0.count == "00001.jpg".count })
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
