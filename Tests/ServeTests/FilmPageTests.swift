// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

extension PageTests {
    /// The films of the days, of a service whose midnight comes a few seconds after its start.
    @Suite("Films")
    struct Films {
        private static let cameras = """
              garden:
                camera: scene
                width: 320
                height: 180
                series:
                  day:
                    interval: 200ms
                    output: FOLDER/day/%Y-%m-%d/%n.jpg
                    film: day
                    film-deflicker: yes

            """

        /// A zone in which the day ends after this time.
        private static func zone(midnightIn seconds: Int) -> String {
            let rest = (time(nil) % 86400 + seconds) % 86400
            // POSIX counts west of Greenwich: clocks show `seconds` before midnight.
            return String(format: "TST%d:%02d:%02d", rest / 3600, rest / 60 % 60, rest % 60)
        }

        private static func film(of program: ServedProgram) throws -> [String: Any]? {
            try program.get("/api/v1/series/day").json["last_film"] as? [String: Any]
        }

        @Test("Yesterday's film is complete after midnight, and the page shows, plays and deletes it")
        func midnight() async throws {
            let folder = try ServedProgram.makeFolder()
            try FileManager.default.createDirectory(
                at: folder.appending(path: "day"), withIntermediateDirectories: true)
            let program = try ServedProgram(
                Self.cameras, in: folder, ownsFolder: true, environment: ["TZ": Self.zone(midnightIn: 8)])
            let events = try EventClient(program, "?series=day")
            let browser = try Browser.open(.phone)
            try browser.open(program.address + "/#live/garden")
            try browser.wait(for: "document.querySelector('.tool[data-name=series]')")
            try browser.click(".tool[data-name=series]")
            try browser.wait(for: "document.querySelector('[data-name=films]:not([hidden])')")
            try browser.wait(for: "document.querySelector('a[data-name=sheet][href$=\"series/day/sheet\"]')")
            try browser.run("document.querySelector('[data-name=films]').open = true")
            try browser.wait(for: "document.querySelector('.clips .quiet, [data-clip]')")
            var made: [String: Any]?
            while made == nil, let event = events.next() {
                if event.name == "film" { made = event.data }
            }
            let event = try #require(made, "\(program.log)")
            #expect(event["type"] as? String == "complete" && event["film"] as? Int == 1 && event["file"] == nil)
            let frames = try #require(event["frames"] as? Int)
            #expect(frames > 5 && event["width"] as? Int == 320)
            let path = "/api/v1/series/day/films"
            let listed = try #require(program.get(path).json["clips"] as? [[String: Any]])
            #expect(
                listed.count == 1 && listed[0]["frames"] as? Int == frames
                    && listed[0]["state"] as? String == "complete")
            #expect(try Self.film(of: program)?["clip"] as? Int == 1)
            let file = try program.get(path + "/1/file")
            #expect(file.status == 200 && file.body.count == event["bytes"] as? Int)
            #expect(try program.get(path + "/1/poster").body.starts(with: [0xFF, 0xD8]))
            #expect(try program.get("/api/v1/series/none/films").status == 404)
            // A part of the file, as a browser asks for it.
            #expect(try program.get(path + "/1/file", "Range: bytes=0-99").body.count == 100)
            try browser.wait(for: "document.querySelector('[data-clip=\"1\"] video')")
            try browser.run("document.querySelector('[data-clip] video').play()")
            try browser.wait(for: "document.querySelector('[data-clip] video').videoWidth === 320")
            try browser.wait(for: "document.querySelector('[data-clip]').textContent.includes('\(frames) pictures')")
            try browser.click("[data-clip] button")
            try browser.click("dialog .primary")
            try browser.wait(for: "!document.querySelector('[data-clip]')")
            #expect(try program.get(path + "/1").json["state"] as? String == "removed")
            #expect(try Self.film(of: program) == nil && browser.complaints() == [])
            // The film of today is under way, and the next service continues it.
            #expect(await program.stop() == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path + "/day/films")
            #expect(
                names.filter { $0.hasSuffix(".mp4.film") }.count == 1
                    && names.filter { $0.hasSuffix(".mp4") }.count <= 1)
        }

        @Test("A film of a series is ordered on the page, shows its progress, and plays")
        func order() async throws {
            let folder = try ServedProgram.makeFolder()
            try FileManager.default.createDirectory(
                at: folder.appending(path: "day"), withIntermediateDirectories: true)
            let program = try ServedProgram(Self.cameras, in: folder, ownsFolder: true)
            let events = try EventClient(program, "?series=day")
            var captured = 0
            while captured < 10, let event = events.next() { captured += event.name == "captured" ? 1 : 0 }
            let browser = try Browser.open(.desktop)
            try browser.open(program.address + "/#live/garden")
            try browser.wait(for: "document.querySelector('.tool[data-name=series]')")
            try browser.click(".tool[data-name=series]")
            try browser.wait(for: "document.querySelector('[data-name=film-maker]:not([hidden])')")
            try browser.run("document.querySelector('[data-name=film-maker]').open = true")
            try browser.wait(for: "document.querySelector('[data-name=make-film]')")
            try browser.run("document.querySelector('[data-name=film-maker] input[type=number]').value = 2")
            try browser.click("[data-name=make-film]")
            try browser.wait(for: "document.querySelector('[data-name=film-maker] [data-clip] video')")
            try browser.run("document.querySelector('[data-clip] video').play()")
            try browser.wait(for: "document.querySelector('[data-clip] video').videoWidth === 320")
            let films = try #require(program.get("/api/v1/films").json["clips"] as? [[String: Any]])
            #expect(films.count == 1 && films[0]["state"] as? String == "complete")
            let length = try #require(films[0]["duration_ms"] as? Double)
            #expect(abs(length - 2000) < 50)
            #expect(try program.get("/api/v1/film-order").json["making"] is NSNull && browser.complaints() == [])
            let wrong = try program.send("POST", "/api/v1/film-order", json: #"{"series": "none"}"#)
            #expect(wrong.status == 404)
            let mistake = try program.send("POST", "/api/v1/film-order", json: #"{"series": "day", "rate": 0}"#)
            #expect(mistake.status == 400 && mistake.text.contains("rate"))
        }
    }
}
#endif
