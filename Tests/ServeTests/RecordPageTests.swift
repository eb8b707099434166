// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

extension PageTests {
    /// The views of the records, in the browser of all tests of the page.
    @Suite("Records")
    struct Records {
        private static let cameras = """
              desk: { camera: scene, width: 640, height: 480, output: FOLDER/pictures/%n.jpg }

            """
        private static let head = """
            records: [loyalty-card, post]
            sessions: { loyalty-card: { camera: desk, output: FOLDER/runs } }

            """

        /// Starts a service with two kinds of records.
        private static func start() throws -> ServedProgram {
            let folder = try ServedProgram.makeFolder()
            for name in ["pictures", "runs"] {
                let path = folder.appendingPathComponent(name)
                try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            }
            return try ServedProgram(cameras, in: folder, ownsFolder: true, head: head)
        }

        /// Opens a part of the view, and waits until it is drawn.
        static func open(
            _ program: ServedProgram, _ place: String = "", _ device: Browser.Device = .desktop
        ) throws -> Browser {
            let browser = try Browser.open(device)
            try browser.open("\(program.address)/?\(UUID())#records\(place)")
            try browser.wait(for: "document.querySelector('.tabs a[aria-current]').href.endsWith('#records')")
            try browser.wait(for: "!document.querySelector('.records-view > .records-body > p')")
            return browser
        }

        /// Clicks an element when it is there.
        static func click(_ selector: String, in browser: Browser) throws {
            try browser.wait(for: "document.querySelector('\(selector)')")
            try browser.click(selector)
        }

        /// Replaces the text of a field.
        static func fill(_ name: String, _ text: String, in browser: Browser) throws {
            try browser.run("const field = document.querySelector('#field-\(name)'); field.focus(); field.select()")
            try browser.type(text)
        }

        private static func value(_ name: String) -> String { "document.querySelector('#field-\(name)').value" }
        private static func fault(_ name: String) -> String {
            "document.querySelector('#field-\(name)-fault').textContent"
        }

        /// Writes a picture of the camera into a file of the service's folder.
        static func picture(_ program: ServedProgram, _ camera: String = "desk") throws -> URL {
            let file = program.folder.appendingPathComponent("picture.jpg")
            try program.get("/api/v1/cameras/\(camera)/snapshot").body.write(to: file)
            return file
        }

        /// Creates a record over the API. Returns its ID.
        private static func create(
            _ program: ServedProgram, _ fields: [String: String], of kind: String = "loyalty-card",
            side: String = "front"
        ) throws -> String {
            let picture = try Data(contentsOf: Self.picture(program))
            let blob = try program.send("POST", "/api/v1/records/blobs", picture, type: "image/jpeg")
            #expect(blob.status == 201, "\(blob.text)")
            let content: [String: Any] = ["fields": fields, "sides": [side: ["blob": blob.json]]]
            let response = try program.send("POST", "/api/v1/records/\(kind)", json: try json(content))
            #expect(response.status == 201, "\(response.text)")
            return response.json["id"] as? String ?? ""
        }

        private static func json(_ object: Any) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }

        private static func record(_ program: ServedProgram, _ id: String) throws -> [String: Any] {
            try program.get("/api/v1/records/loyalty-card/\(id)").json
        }

        /// Changes fields of a record, as another device does.
        private static func change(_ program: ServedProgram, _ id: String, _ fields: [String: String]) throws {
            let present = try record(program, id)
            let values = (present["fields"] as? [String: String] ?? [:]).merging(fields) { $1 }
            let response = try program.send(
                "PUT", "/api/v1/records/loyalty-card/\(id)",
                json: try json(["fields": values, "sides": present["sides"] ?? [:]]),
                "If-Match: \"\(present["revision"] ?? 0)\"")
            #expect(response.status == 200, "\(response.text)")
        }

        private static func fields(_ program: ServedProgram, _ id: String) throws -> [String: String]? {
            try record(program, id)["fields"] as? [String: String]
        }

        private static func blob(_ side: String, of record: [String: Any]) -> [String: Any]? {
            ((record["sides"] as? [String: Any])?[side] as? [String: Any])?["blob"] as? [String: Any]
        }

        private static func firstRecord(
            _ program: ServedProgram, _ kind: String = "loyalty-card"
        ) throws -> [String: Any] {
            let records = try program.get("/api/v1/records/\(kind)").json["records"] as? [[String: Any]]
            return try #require(records?.first)
        }

        /// Draws the barcode EAN-13 of a number. Returns a JPEG file in Base64.
        private static let barcode = """
            const digits = [...'4006381333931'].map(Number)
            const left = ['0001101', '0011001', '0010011', '0111101', '0100011', '0110001', '0101111', '0111011', '0110111', '0001011']
            const parity = ['000000', '001011', '001101', '001110', '010011', '011001', '011100', '010101', '010110', '011010'][digits[0]]
            const flip = (code) => [...code].map((bit) => 1 - bit).join('')
            const first = digits.slice(1, 7).map((digit, index) => (parity[index] === '0' ? left[digit] : [...flip(left[digit])].reverse().join('')))
            const bits = '101' + first.join('') + '01010' + digits.slice(7).map((digit) => flip(left[digit])).join('') + '101'
            const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 })
            const context = canvas.getContext('2d')
            context.fillStyle = '#fff'
            context.fillRect(0, 0, 640, 480)
            context.fillStyle = '#000'
            ;[...bits].forEach((bit, index) => { if (bit === '1') context.fillRect(177 + 3 * index, 160, 3, 160) })
            return canvas.toDataURL('image/jpeg', 0.95).split(',')[1]
            """

        @Test(
            "A record is created with a picture of the camera and one of the device, whose code fills the empty number")
        func create() throws {
            let program = try Self.start()
            let browser = try Self.open(program, "", .phone)
            try browser.wait(
                for: "document.querySelector('.record-list').textContent.includes('There is nothing here yet')")
            try Self.click("[data-name=first-record]", in: browser)
            try browser.wait(for: "document.activeElement.id === 'field-identifier'")
            try Self.fill("name", "Ann", in: browser)
            try browser.click("[data-name=take-front]")
            try browser.wait(
                for: "document.querySelector('.choose .live')?.naturalWidth > 0 "
                    + "&& document.querySelector('.choose .outline-layer').naturalWidth > 0")
            try browser.click("[data-name=take]")
            try browser.wait(for: "document.querySelector('[data-side=front] img')?.naturalWidth > 0")
            // The focus is back on the button, which is now for another picture.
            try browser.wait(for: "document.activeElement.dataset.name === 'take-front'")
            let code = program.folder.appendingPathComponent("code.jpg")
            try #require(Data(base64Encoded: try browser.run(Self.barcode) as? String ?? "")).write(to: code)
            try browser.give(code.path, to: "[data-name=device-back]")
            try browser.wait(for: "document.querySelector('.placing')?.dataset.ready")
            // The whole picture, so that the code is not cut.
            try browser.click(".placing-dialog .primary")
            try browser.wait(for: "document.querySelector('[data-side=back] img')?.naturalWidth > 0")
            try browser.wait(for: "\(Self.value("identifier")) === '4006381333931'")
            #expect(try browser.text("#field-identifier-note") == "Read from the code: Back")
            try browser.click("[data-name=save]")
            try browser.wait(for: "document.querySelectorAll('.record-details .sides img').length === 2")
            let record = try Self.firstRecord(program)
            #expect(record["fields"] as? [String: String] == ["identifier": "4006381333931", "name": "Ann"])
            // A picture of a record is not in the library.
            #expect((try program.get("/api/v1/library/items").json["items"] as? [Any])?.count == 0)
            try browser.click(".record-details .picture")
            try browser.wait(for: "document.querySelector('.viewer .full')?.naturalWidth > 0")
            try browser.click(".viewer [data-name=close]")
            // Back leads to the list: the editor is not in the history.
            try browser.wait(for: "!document.querySelector('.viewer')")
            #expect(try browser.complaints() == [])
        }

        @Test("A picture of the library becomes a side")
        func choose() throws {
            let program = try Self.start()
            #expect(try program.request("POST", "/api/v1/cameras/desk/snap").status == 201)
            let browser = try Self.open(program, "/post/new")
            try Self.click("[data-name=pictures-picture]", in: browser)
            try Self.click(".choose .cell[data-id]", in: browser)
            try browser.wait(for: "document.querySelector('[data-side=picture] img')?.naturalWidth > 0")
            try browser.click("[data-name=save]")
            try browser.wait(for: "document.querySelector('.record-details .sides img')?.naturalWidth > 0")
            #expect(Self.blob("picture", of: try Self.firstRecord(program, "post"))?["width"] as? Int == 640)
            #expect(try browser.complaints() == [])
        }

        @Test(
            "Faults appear beside their fields, the first one gets the focus, and they disappear while the user types")
        func validity() throws {
            let program = try Self.start()
            _ = try Self.create(program, ["identifier": "1", "name": "Ann"])
            let browser = try Self.open(program, "/loyalty-card/new")
            try Self.click("[data-name=save]", in: browser)
            try browser.wait(
                for: "\(Self.fault("identifier")) === 'Is required' && \(Self.fault("name")) === 'Is required'")
            try browser.wait(for: "document.activeElement.id === 'field-identifier'")
            #expect(try browser.text("[data-side=front] .part-fault") == "Is required")
            let isDescribed = """
                const field = document.querySelector('#field-identifier')
                return field.getAttribute('aria-invalid') === 'true' && field.getAttribute('aria-describedby').includes('field-identifier-fault')
                """
            #expect(try browser.run(isDescribed) as? Bool == true)
            try browser.type("1")
            try browser.wait(for: "\(Self.fault("identifier")).includes('another record')")
            try browser.type("2")
            try browser.wait(for: "\(Self.fault("identifier")) === ''")
            #expect(
                try browser.run("return document.querySelector('#field-identifier').hasAttribute('aria-invalid')")
                    as? Bool == false)
            try Self.fill("name", "Bob", in: browser)
            // Without a picture, the focus goes to the side.
            try browser.click("[data-name=save]")
            try browser.wait(for: "document.activeElement.closest('[data-side=front]')")
            #expect(try program.get("/api/v1/records/loyalty-card").json["total"] as? Int == 1)
            #expect(try browser.complaints() == [])
            // The faults of the service are in the language of the page.
            let german = try Self.open(program, "/loyalty-card/new", .phone.with("de", isDark: false))
            try Self.click("[data-name=save]", in: german)
            try german.wait(for: "\(Self.fault("identifier")) === 'Ist erforderlich'")
            #expect(try german.text("label[for=field-identifier]") == "Nummer *")
        }

        @Test("A record is changed, deleted and restored, and leaving with changes asks")
        func edit() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann"])
            let browser = try Self.open(program, "/loyalty-card", .phone)
            try Self.click(".records a", in: browser)
            try Self.click("[data-name=edit]", in: browser)
            try browser.wait(for: "\(Self.value("name")) === 'Ann'")
            try Self.fill("notes", "one", in: browser)
            try browser.run("location.hash = 'sessions'")
            try Self.click("dialog.question button:not(.primary)", in: browser)
            try browser.wait(for: "location.hash.endsWith('/edit') && \(Self.value("notes")) === 'one'")
            // Another language has other words, and the same changes.
            try browser.click("[popovertarget=menu]")
            try browser.run(
                "const words = document.querySelector('.menu select'); words.value = 'de'; words.dispatchEvent(new Event('change'))"
            )
            try browser.wait(for: "document.querySelector('[data-name=save]').textContent === 'Speichern'")
            #expect(try browser.run("return \(Self.value("notes"))") as? String == "one")
            try browser.run("document.querySelector('.menu').hidePopover()")
            try browser.click("[data-name=save]")
            try browser.wait(for: "document.querySelector('.record-body dl')?.textContent.includes('one')")
            #expect(try Self.fields(program, id)?["notes"] == "one")
            try browser.click("[data-name=remove]")
            try browser.wait(for: "document.querySelector('[data-name=first-record]:not([hidden])')")
            #expect(try Self.record(program, id)["trashed"] as? Bool == true)
            try browser.run(
                "[...document.querySelectorAll('.message button')].find(one => one.textContent === 'Rückgängig').click()"
            )
            try browser.wait(for: "document.querySelector('.records [data-record=\"\(id)\"]')")
            #expect(try Self.record(program, id)["trashed"] as? Bool == false)
            #expect(try browser.complaints() == [])
        }

        @Test("Leaving with changes discards them if the user agrees")
        func leave() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann"])
            let browser = try Self.open(program, "/loyalty-card/\(id)/edit")
            try browser.wait(for: "\(Self.value("name")) === 'Ann'")
            try Self.fill("name", "Bob", in: browser)
            try browser.click("[data-name=cancel]")
            try Self.click("dialog.question .primary", in: browser)
            try browser.wait(for: "document.querySelector('.record-details')?.textContent.includes('Ann')")
            try Self.click("[data-name=edit]", in: browser)
            try browser.wait(for: "\(Self.value("name")) === 'Ann'")
            #expect(try browser.complaints() == [])
        }

        @Test("A search finds records, and a deleted one is in the trash, from which it comes back")
        func search() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann", "notes": "blue"])
            _ = try Self.create(program, ["identifier": "2", "name": "Bob", "notes": "green"])
            let browser = try Self.open(program, "/loyalty-card", .phone)
            try browser.wait(for: "document.querySelectorAll('.records li').length === 2")
            try browser.run("document.querySelector('.record-list input').focus()")
            try browser.type("blu")
            try browser.wait(for: "document.querySelectorAll('.records li').length === 1")
            #expect(try browser.run("return document.querySelector('.records li').dataset.record") as? String == id)
            let revision = try Self.record(program, id)["revision"] ?? 0
            let removed = try program.request(
                "DELETE", "/api/v1/records/loyalty-card/\(id)", "If-Match: \"\(revision)\"")
            #expect((200...204).contains(removed.status))
            // The list follows the events of the service.
            try browser.wait(for: "document.querySelector('.record-list').textContent.includes('No record matches')")
            try browser.run("location.hash = 'records/loyalty-card/trash'")
            try Self.click(".records [data-name=restore]", in: browser)
            try browser.wait(for: "document.querySelector('.record-list').textContent.includes('The trash is empty.')")
            #expect(try Self.record(program, id)["trashed"] as? Bool == false)
            #expect(try browser.complaints() == [])
        }

        @Test("The history shows each change; a version and the picture of a side are restored")
        func history() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann"])
            let first = Self.blob("front", of: try Self.record(program, id))?["sha256"] as? String
            try Self.change(program, id, ["name": "Bob"])
            let browser = try Self.open(program, "/loyalty-card/\(id)/edit")
            try Self.click("[data-name=take-front]", in: browser)
            try Self.click("dialog [data-name=take]", in: browser)
            try browser.wait(
                for: "!document.querySelector('dialog') && !document.querySelector('[data-name=take-front]').disabled")
            try browser.click("[data-name=save]")
            try Self.click("summary", in: browser)
            try browser.wait(for: "document.querySelectorAll('.history li').length === 3")
            #expect(Self.blob("front", of: try Self.record(program, id))?["sha256"] as? String != first)
            try browser.click("[data-name=use-front-1]")
            try browser.wait(for: "document.querySelectorAll('.history li').length === 4")
            var record = try Self.record(program, id)
            #expect(Self.blob("front", of: record)?["sha256"] as? String == first)
            #expect((record["fields"] as? [String: String])?["name"] == "Bob")
            try browser.click("[data-name=restore-1]")
            try browser.wait(for: "document.querySelectorAll('.history li').length === 5")
            record = try Self.record(program, id)
            #expect((record["fields"] as? [String: String])?["name"] == "Ann")
            #expect(try browser.complaints() == [])
        }

        @Test("A side is adjusted from its whole picture, beginning at its earlier place")
        func adjust() throws {
            let program = try Self.start()
            let picture = try Self.picture(program)
            let browser = try Self.open(program, "/loyalty-card/new")
            try browser.give(picture.path, to: "[data-name=device-front]")
            try browser.wait(for: "document.querySelector('.placing')?.dataset.ready")
            try browser.type("+++")
            try browser.click(".placing-dialog .primary")
            let shown = "document.querySelector('[data-side=front] img')"
            try browser.wait(for: "\(shown)?.naturalWidth > 0")
            let first = try browser.run("return \(shown).src") as? String ?? ""
            try browser.click("[data-name=adjust-front]")
            try browser.wait(for: "document.querySelector('.placing')?.dataset.ready")
            let zoom = try browser.run("return document.querySelector('.placed').style.transform") as? String ?? ""
            #expect(zoom.contains("scale(1.1"), "\(zoom)")
            try browser.type("+")
            try browser.click(".placing-dialog .primary")
            try browser.wait(for: "\(shown).src !== '\(first)' && \(shown).naturalWidth > 0")
            try Self.fill("identifier", "1", in: browser)
            try Self.fill("name", "Ann", in: browser)
            try browser.click("[data-name=save]")
            try browser.wait(for: "document.querySelector('.record-details')")
            let sides = try Self.firstRecord(program)["sides"] as? [String: [String: Any]]
            let origin = try #require(sides?["front"]?["origin"] as? [String: Any])
            #expect((origin["blob"] as? [String: Any])?["width"] as? Int == 640)
            #expect(origin["zoom"] as? Double ?? 0 > 1.2)
            #expect(try browser.complaints() == [])
        }

        @Test("If another device has changed the record, the user chooses by part")
        func changedElsewhere() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann", "notes": "old"])
            let browser = try Self.open(program, "/loyalty-card/\(id)/edit", .phone)
            try browser.wait(for: "\(Self.value("name")) === 'Ann'")
            try Self.fill("notes", "mine", in: browser)
            try Self.change(program, id, ["name": "Bob", "notes": "theirs"])
            try browser.click("[data-name=save]")
            try browser.wait(for: "document.querySelector('.merge')")
            // The name was changed by the other device alone, and is chosen.
            #expect(
                try browser.run("return document.querySelector('.merge [data-part=\"field:name\"]:checked').value")
                    as? String
                    == "theirs")
            #expect(
                try browser.run("return document.querySelector('.merge [data-part=\"field:notes\"]:checked')") == nil)
            try Self.inspect(browser, "record-merge", .phone, ignoring: "412")
            try browser.click(".merge [data-part=\"field:notes\"][value=mine]")
            try browser.click("[data-name=merge-save]")
            try browser.wait(for: "document.querySelector('.record-details')")
            #expect(try Self.fields(program, id) == ["identifier": "1", "name": "Bob", "notes": "mine"])
            #expect(try browser.complaints() == [])
        }

        @Test("If another device has deleted the record, the user can restore it with the changes")
        func deletedElsewhere() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann"])
            let browser = try Self.open(program, "/loyalty-card/\(id)/edit")
            try browser.wait(for: "\(Self.value("name")) === 'Ann'")
            try Self.fill("name", "Bob", in: browser)
            let revision = try Self.record(program, id)["revision"] ?? 0
            _ = try program.request("DELETE", "/api/v1/records/loyalty-card/\(id)", "If-Match: \"\(revision)\"")
            try browser.click("[data-name=save]")
            try Self.click("dialog.question .primary", in: browser)
            try browser.wait(for: "document.querySelector('.record-details')?.textContent.includes('Bob')")
            let record = try Self.record(program, id)
            #expect(record["trashed"] as? Bool == false)
            #expect((record["fields"] as? [String: String])?["name"] == "Bob")
        }

        @Test("A conflict between two pictures is solved with two touches")
        func conflict() throws {
            let program = try Self.start()
            let id = try Self.create(program, ["identifier": "1", "name": "Ann"])
            let browser = try Self.open(program, "/loyalty-card/\(id)", .phone)
            // No view of the page has conflicts of a backend yet.
            let show = """
                const done = arguments[arguments.length - 1]
                const page = document.querySelector('link[href$="page.css"]').href
                const load = (name) => import(new URL(name, page).href)
                Promise.all(['record-merge.js', 'record-data.js'].map(load)).then(async ([{ MergeForm }, { readKinds, readRecord }]) => {
                  const [kind] = await readKinds()
                  const mine = await readRecord('loyalty-card', '\(id)')
                  const theirs = { ...mine, sides: { front: { blob: { ...mine.sides.front.blob, sha256: '0'.repeat(64) } } } }
                  const form = new MergeForm(kind, { mine, theirs }, {
                    title: 'Conflict', mineTitle: 'Mine', theirsTitle: 'Theirs',
                    solved: (content) => { document.body.dataset.solved = content.sides.front.blob.sha256 },
                  })
                  document.querySelector('.records-body').replaceChildren(form.element)
                  done(mine.sides.front.blob.sha256)
                })
                """
            let mine = try #require(try browser.runAsync(show) as? String)
            try browser.wait(for: "document.querySelectorAll('.merge img').length === 2")
            #expect(try browser.run("return document.querySelectorAll('.merge fieldset').length") as? Int == 1)
            try browser.click(".merge input[value=mine]")
            try browser.click("[data-name=merge-save]")
            #expect(try browser.run("return document.body.dataset.solved") as? String == mine)
        }

        @Test("A picture is posted from the viewer with two touches, and appears on the timeline, newest first")
        func timeline() throws {
            let program = try Self.start()
            #expect(try program.request("POST", "/api/v1/cameras/desk/snap").status == 201)
            _ = try Self.create(program, ["caption": "Earlier"], of: "post", side: "picture")
            let browser = try Browser.open(.phone)
            try browser.open("\(program.address)/#pictures")
            try browser.wait(for: "document.querySelector('.cell[data-id] img')?.naturalWidth > 0")
            try browser.click(".cell[data-id]")
            try Self.click(".viewer [data-name=share]", in: browser)
            try Self.click("[data-name=post]", in: browser)
            try browser.wait(for: "document.querySelector('.messages').textContent.includes('Posted to the timeline')")
            try browser.run(
                "[...document.querySelectorAll('.message button')].find(one => one.textContent === 'View').click()")
            try browser.wait(for: "document.querySelector('.record-details .sides img')?.naturalWidth === 640")
            try browser.run("location.hash = 'records/post'")
            try browser.wait(for: "document.querySelectorAll('.timeline li').length === 2")
            #expect(try browser.text(".timeline li:last-child .post-caption") == "Earlier")
            #expect(try browser.complaints() == [])
        }

        @Test("Without records, and without the right to see them, the page has no view of them")
        func none() throws {
            let program = try ServedProgram("  desk: { camera: scene, width: 320, height: 240 }\n")
            let browser = try Browser.open(.phone)
            try browser.open("\(program.address)/#records")
            try browser.wait(for: "\(Browser.liveWidth) > 0")
            #expect(try browser.run("return document.querySelectorAll('.tabs a').length") as? Int == 3)
            #expect(try browser.complaints() == [])
        }

        @Test(
            "Every view of records fits its screen, and has no violation of WCAG 2.2 AA", arguments: PageTests.devices)
        func look(device: Browser.Device) throws {
            let program = try Self.start()
            var browser = try Self.open(program, "", device)
            try browser.wait(for: "document.querySelector('[data-name=first-record]:not([hidden])')")
            try PageTests.inspect(browser, "records/empty", device)
            let id = try Self.create(
                program, ["identifier": "4006381333931", "name": "Ann Miller", "notes": "Blue\nGold"])
            _ = try Self.create(program, ["caption": "The first snow of the year"], of: "post", side: "picture")
            let isLoaded = "[...document.querySelectorAll('.records-view img')].every(one => one.naturalWidth > 0)"
            for (place, element) in [
                ("loyalty-card", ".records li"), ("loyalty-card/\(id)", ".record-details img"),
                ("loyalty-card/\(id)/edit", ".record-form"), ("loyalty-card/new", ".record-form"),
                ("loyalty-card/trash", ".record-list"), ("post", ".timeline img"), ("post/new", ".record-form"),
            ] {
                browser = try Self.open(program, "/\(place)", device)
                try browser.wait(for: "document.querySelector('\(element)') && \(isLoaded)")
                if place.hasSuffix("new") {
                    try browser.click("[data-name=save]")
                    try browser.wait(for: "document.querySelector('.side.faulty')")
                }
                if element.contains("details") { try Self.click("summary", in: browser) }
                try PageTests.inspect(browser, "records/\(place.replacing(id, with: "details"))", device)
            }
            try browser.run("scrollTo(0, 0)")
            try Self.click("[data-name=take-picture]", in: browser)
            try browser.wait(for: "document.querySelector('.choose .live')?.naturalWidth > 0")
            try PageTests.inspect(browser, "records/take", device)
        }

        /// Checks a view, whose console has an error of a response that the test expects.
        private static func inspect(
            _ browser: Browser, _ view: String, _ device: Browser.Device, ignoring status: String
        ) throws {
            #expect(try browser.complaints().allSatisfy { $0.contains("status of \(status)") })
            try PageTests.inspect(browser, view, device)
        }
    }
}
#endif
