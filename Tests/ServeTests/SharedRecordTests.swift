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
        /// - Parameter settings: The last keys of the section of records, one a line.
        static func start(_ backend: ExampleBackend, _ settings: String = "poll: 5s") throws -> ServedProgram {
            let folder = try ServedProgram.makeFolder()
            try Data(kind.utf8).write(to: folder.appendingPathComponent("card.yaml"))
            let text = """
                records:
                  server: \(backend.address)
                  token-file: \(backend.secrets)
                  kinds: [\(folder.path)/card.yaml]
                  \(settings.replacing("\n", with: "\n  "))

                """
            try Data(text.utf8).write(to: folder.appendingPathComponent("outbox.yaml"))
            return try ServedProgram(
                cameras, in: folder, ownsFolder: true, head: "records: FOLDER/card.yaml\noutbox: FOLDER/outbox.yaml\n")
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

        /// Waits until the record of a service has a value.
        static func await(_ name: String, _ program: ServedProgram, _ id: String) throws {
            while (try record(program, id)["fields"] as? [String: Any])?["name"] as? String != name {}
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
            while (try Self.record(one, id)["sides"] as? [String: Any])?.isEmpty != false {}
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
