// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

extension PageTests {
    /// The records of two services with one backend, in the browser of all tests of the page.
    @Suite("Records of two services", .enabled(if: PictureServer.isAvailable, PictureServer.advice))
    struct SharedRecords {
        private static let cameras = "  garden: {camera: scene, width: 640, height: 360}\n"
        private static let kind =
            "title: Card\nkey: name\nfields: [{name: name, required: yes}]\nsides: [{name: front}]\n"
        static let cards = "/api/v1/records/card"

        /// Starts a service with a sender.
        ///
        /// - Parameters:
        ///   - settings: The last keys of the section of records, one a line.
        ///   - kind: The kind of the records, by its name or its file.
        ///   - head: Further sections of the service.
        ///   - targets: The section of targets.
        static func start(
            _ backend: ExampleBackend, _ settings: String = "poll: 5s", kind name: String = "FOLDER/card.yaml",
            head: String = "", targets: String = ""
        ) throws -> ServedProgram {
            let folder = try ServedProgram.makeFolder()
            try Data(kind.utf8).write(to: folder.appendingPathComponent("card.yaml"))
            let text = """
                records:
                  server: \(backend.address)
                  token-file: \(backend.secrets)
                  kinds: [\(name.replacing("FOLDER", with: folder.path))]
                  \(settings.replacing("\n", with: "\n  "))

                """
            try Data((targets + text).utf8).write(to: folder.appendingPathComponent("outbox.yaml"))
            return try ServedProgram(
                cameras, in: folder, ownsFolder: true, head: "records: \(name)\noutbox: FOLDER/outbox.yaml\n" + head)
        }

        /// Waits until a service has nothing to send, and no question.
        private static func settle(_ program: ServedProgram) throws {
            while true {
                let state = try program.get(cards + "/sync").json
                if state["waiting"] as? Int == 0, state["pulled"] as? String != nil { return }
            }
        }

        private static func record(_ program: ServedProgram, _ id: String) throws -> [String: Any] {
            try program.get("\(cards)/\(id)").json
        }

        /// Waits until a condition holds that records of a service change.
        static func await(_ program: ServedProgram, until holds: () throws -> Bool) throws {
            let events = try EventClient(program, "?kind=record")
            while try !holds() { _ = try events.next("record") }
        }

        /// Waits until the record of a service has a value.
        static func await(_ name: String, _ program: ServedProgram, _ id: String) throws {
            try Self.await(program) {
                (try record(program, id)["fields"] as? [String: Any])?["name"] as? String == name
            }
        }

        /// Changes the name in the editor of the page.
        private static func rename(_ id: String, _ name: String, _ program: ServedProgram) throws {
            let browser = try Browser.open(.phone)
            try browser.open("\(program.address)/#records/card/\(id)/edit")
            try browser.wait(for: "document.querySelector('.records-view input:not([type=search])')")
            try browser.run(
                """
                const input = document.querySelector('.records-view form input')
                input.value = '\(name)'
                input.dispatchEvent(new Event('input', { bubbles: true }))
                """)
            try browser.wait(for: "!document.querySelector('.records-view form .primary').disabled")
            try browser.click(".records-view form .primary")
            try browser.wait(for: "document.querySelector('.record-details h2')?.textContent === '\(name)'")
        }

        private static func addFront(_ id: String, _ program: ServedProgram) throws {
            let picture = try program.request("POST", "/api/v1/cameras/garden/snap").body
            let blob = try program.send("POST", "/api/v1/records/blobs", picture, type: "image/jpeg")
            #expect(blob.status == 201)
            let record = try record(program, id)
            let name = (record["fields"] as? [String: Any])?["name"] as? String ?? ""
            let changed = try program.send(
                "PUT", "\(cards)/\(id)",
                json: #"{"fields": {"name": "\#(name)"}, "sides": {"front": {"blob": \#(blob.text)}}}"#,
                "If-Match: \"\(record["revision"] as? Int ?? 0)\"")
            #expect(changed.status == 200, "\(changed.text)")
        }

        @Test("A loyalty card is created, adjusted, shown and changed, and the other service has it with its pictures")
        func card() throws {
            let folder = try ServedProgram.makeFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let backend = try ExampleBackend(in: folder)
            let sessions = "sessions: { loyalty-card: { camera: garden, output: FOLDER/runs } }\n"
            func start() throws -> ServedProgram { try Self.start(backend, kind: "loyalty-card", head: sessions) }
            let (one, two, device) = (try start(), try start(), Browser.Device.phone)
            func look(_ browser: Browser, _ view: String) throws {
                try PageTests.inspect(browser, "shared/\(view)", device)
            }

            let browser = try Records.open(one, "", device)
            try browser.wait(for: "document.querySelector('[data-name=first-record]:not([hidden])')")
            try look(browser, "empty")
            try browser.click("[data-name=first-record]")
            try browser.wait(for: "document.activeElement.id === 'field-identifier'")
            try Records.fill("identifier", "4006381333931", in: browser)
            try Records.fill("name", "Ann", in: browser)
            try browser.click("[data-name=take-front]")
            try browser.wait(
                for: "document.querySelector('.choose .live')?.naturalWidth > 0 "
                    + "&& document.querySelector('.choose .outline-layer').naturalWidth > 0")
            try look(browser, "take")
            try browser.click("[data-name=take]")
            try browser.wait(for: "document.querySelector('[data-side=front] img')?.naturalWidth > 0")
            try browser.give(try Records.picture(one, "garden").path, to: "[data-name=device-back]")
            try browser.wait(for: "document.querySelector('.placing')?.dataset.ready")
            try look(browser, "place")
            try browser.click(".placing-dialog .primary")
            try browser.wait(for: "document.querySelector('[data-side=back] img')?.naturalWidth > 0")
            try look(browser, "edit")
            try browser.click("[data-name=save]")
            let isWhole =
                "[...document.querySelectorAll('.record-details .sides img')].filter(one => one.naturalWidth).length === 2"
            try browser.wait(for: isWhole)
            try look(browser, "details")
            try browser.click(".record-details .picture")
            try browser.wait(for: "document.querySelector('.viewer .full')?.naturalWidth > 0")
            try look(browser, "viewer")
            try browser.click(".viewer [data-name=close]")
            try browser.wait(for: "!document.querySelector('.viewer')")

            let records = try one.get("/api/v1/records/loyalty-card").json["records"] as? [[String: Any]]
            let id = try #require(records?.first?["id"] as? String)
            try Self.await(two) { try two.get("/api/v1/records/loyalty-card").json["total"] as? Int == 1 }
            let other = try Records.open(two, "/loyalty-card", device)
            try other.wait(for: "document.querySelector('.records li img')?.naturalWidth > 0")
            try look(other, "list")
            try Records.click(".records a", in: other)
            try other.wait(for: isWhole)
            try Records.click("[data-name=edit]", in: other)
            try other.wait(for: "document.querySelector('#field-name')?.value === 'Ann'")
            try Records.fill("name", "Bea", in: other)
            try other.click("[data-name=save]")
            try other.wait(for: "document.querySelector('.record-details h2')?.textContent")
            try Self.await(one) {
                let fields = try one.get("/api/v1/records/loyalty-card/\(id)").json["fields"] as? [String: String]
                return fields?["name"] == "Bea"
            }
            try other.click("[data-name=remove]")
            try Self.await(one) { try one.get("/api/v1/records/loyalty-card").json["total"] as? Int == 0 }
        }

        @Test("A picture that only a target of the outbox has appears when a user looks at its record")
        func arrival() async throws {
            let folder = try ServedProgram.makeFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let (backend, store) = (try ExampleBackend(in: folder), try PictureServer(in: folder))
            let settings = "poll: 5s\nblobs: store"
            let targets = "targets: {store: {http: \"\(store.address)\", erase: yes}}\n"
            let (one, two) = (
                try Self.start(backend, settings, targets: targets),
                try Self.start(backend, settings, targets: targets)
            )
            let created = try one.send("POST", Self.cards, json: #"{"fields": {"name": "Ann"}}"#)
            let id = try #require(created.json["id"] as? String)
            try Self.addFront(id, one)
            try Self.await(two) { (try Self.record(two, id)["sides"] as? [String: Any])?.isEmpty == false }
            let sides = try Self.record(two, id)["sides"] as? [String: [String: Any]]
            let blob = try #require(sides?["front"]?["blob"] as? [String: Any])
            let sha256 = try #require(blob["sha256"] as? String)
            let arrivals = try EventClient(two, "?kind=record-picture")
            if try two.get("/api/v1/records/blobs/\(sha256)").status != 200 { _ = try arrivals.next("record-picture") }
            #expect(store.pictures == ["blobs/\(sha256.prefix(2))/\(sha256).jpg"])
            let file = "state/records/blobs/\(sha256.prefix(2))/\(sha256).jpg"
            try FileManager.default.removeItem(at: two.folder.appendingPathComponent(file))
            let browser = try Browser.open(.phone)
            try browser.open("\(two.address)/#records/card/\(id)")
            try browser.wait(for: "document.querySelector('.record-details .sides img')?.naturalWidth")
            #expect(try arrivals.next("record-picture").data["sha256"] as? String == sha256)
            #expect(try browser.complaints().allSatisfy { $0.contains(sha256) && $0.contains("503") })
        }

        @Test("A name here and a picture there merge by themselves; two names are one conflict, solved in two touches")
        func merge() async throws {
            let folder = try ServedProgram.makeFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let backend = try ExampleBackend(in: folder)
            let (one, two) = (try Self.start(backend), try Self.start(backend))
            let created = try one.send("POST", Self.cards, json: #"{"fields": {"name": "Ann"}}"#)
            let id = try #require(created.json["id"] as? String)
            try Self.await("Ann", two, id)
            try Self.settle(one)
            // Both services are offline.
            await backend.stop()
            try Self.rename(id, "Bob", one)
            try Self.addFront(id, two)
            try backend.restart()
            try Self.await("Bob", two, id)
            try Self.await(one) { (try Self.record(one, id)["sides"] as? [String: Any])?.isEmpty == false }
            try Self.settle(one)
            try Self.settle(two)

            await backend.stop()
            try Self.rename(id, "Cid", one)
            try Self.rename(id, "Dan", two)
            try backend.restart()
            var other = two
            while true {
                if try Self.record(two, id)["sync"] as? String == "conflict" { break }
                if try Self.record(one, id)["sync"] as? String == "conflict" {
                    other = one
                    break
                }
            }
            let browser = try Browser.open(.phone)
            try browser.open("\(other.address)/#records/card/\(id)")
            try browser.wait(for: "document.querySelector('[data-name=conflicts]')")
            try browser.click("[data-name=conflicts]")
            try browser.wait(for: "document.querySelectorAll('.merge-option').length === 2")
            try browser.click(".merge-option input[value=theirs]")
            try browser.click("[data-name=merge-save]")
            try browser.wait(for: "document.querySelector('.record-details h2')?.textContent")
            let name = other === two ? "Cid" : "Dan"
            try Self.await(name, one, id)
            try Self.await(name, two, id)
            #expect(try browser.complaints() == [])
        }
    }
}
#endif
