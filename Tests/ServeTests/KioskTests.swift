// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

extension PageTests {
    /// The page for strangers, in the browser of all tests of the page.
    @Suite("The kiosk")
    struct Kiosk {
        private static let session = """
            title: Your picture
            countdown: 2s
            share: 10m
            idle: IDLE
            consent: { text: Your picture is shown in the hall., retention: 30d }
            fields: [{ name: name, label: Your name, required: yes }]
            stages: [{ name: one, outline: face, prompt: Look here }]
            languages:
              de:
                title: Dein Bild
                consent: Dein Bild wird in der Halle gezeigt.
                fields: { name: Dein Name }
                stages: { one: Schau her }
            """

        static func start(
            _ text: String? = nil, idle: String = "60s", in given: URL? = nil, listen: String = "127.0.0.1:0"
        ) throws -> ServedProgram {
            let folder = try given ?? ServedProgram.makeFolder()
            let file = text ?? session.replacing("IDLE", with: idle)
            try Data(file.utf8).write(to: folder.appendingPathComponent("club.yaml"))
            return try ServedProgram(
                """
                  hall: { camera: scene, width: 640, height: 360, framerate: 30 }
                sessions:
                  club: { session: FOLDER/club.yaml, output: FOLDER }
                """ + "\n", in: folder, ownsFolder: given == nil, listen: listen)
        }

        private static func open(_ program: ServedProgram, _ device: Browser.Device = .phone) throws -> Browser {
            let browser = try Browser.open(device)
            try browser.open(program.address + "/kiosk/club")
            try browser.wait(for: screen("invite"))
            return browser
        }

        private static func screen(_ name: String) -> String {
            "document.querySelector('.kiosk-main')?.dataset.screen === '\(name)'"
        }

        /// Touches a button once it is there. At a kiosk, a button ignores touches in its first moments.
        private static func touch(_ browser: Browser, _ action: String) throws {
            try browser.wait(for: "document.querySelector('[data-action=\(action)]')")
            try passFirstMoments(browser)
            try browser.click("[data-action=\(action)]")
        }

        private static func passFirstMoments(_ browser: Browser) throws {
            _ = try browser.runAsync("setTimeout(arguments[arguments.length - 1], 450)")
        }

        private static func expectQuiet(
            _ complaints: [String], sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(complaints == [], sourceLocation: sourceLocation)
        }

        /// Agrees and types a name.
        private static func introduce(_ browser: Browser) throws {
            try browser.wait(for: "document.querySelector('.scene')?.textContent.includes('shown in the hall')")
            try touch(browser, "capture")
            try browser.wait(for: "document.querySelector('form.scene input')")
            try browser.run("document.querySelector('form.scene input').value = 'Ada'")
            try touch(browser, "fill")
        }

        @Test("A stranger is led from the inviting screen to the result, and the next one finds no trace")
        func whole() throws {
            let program = try Self.start()
            let browser = try Self.open(program)
            try browser.wait(for: "document.querySelector('.preview .live').naturalWidth > 0")
            try browser.wait(for: "document.querySelector('.preview .outline-layer').naturalWidth > 0")
            try browser.record("countdown", when: "document.querySelector('.countdown:not([hidden])')")
            try Self.touch(browser, "begin")
            try Self.introduce(browser)
            try browser.awaitRecord("countdown")
            try Self.touch(browser, "accept")
            try browser.wait(for: Self.screen("result"))
            try browser.wait(
                for:
                    "document.querySelector('.result img').naturalWidth > 0 && document.querySelector('.kiosk-code').dataset.path"
            )
            let path = try #require(
                try browser.run("return document.querySelector('.kiosk-code').dataset.path") as? String)
            try Self.touch(browser, "done")
            try browser.wait(for: Self.screen("invite"))
            #expect(
                try browser.run("return document.querySelectorAll('img[src*=\"/runs/\"], input').length") as? Int == 0)
            Self.expectQuiet(try browser.complaints())
            // The link works in another browser.
            try browser.open(program.address + path)
            try browser.wait(for: "document.querySelector('.shared img').naturalWidth > 0")
            #expect(try browser.run("return document.querySelector('.shared a').download") as? String == "one-001.jpg")
            Self.expectQuiet(try browser.complaints())
        }

        @Test("A person who walks away leaves nothing, and the inviting screen closes the camera")
        func walkedAway() throws {
            let program = try Self.start(idle: "5s")
            let browser = try Self.open(program)
            try browser.record("begun", when: Self.screen("session"))
            try Self.touch(browser, "begin")
            try browser.awaitRecord("begun")
            try browser.wait(for: Self.screen("invite"))
            #expect((try program.get("/api/v1/sessions/club/runs").json["runs"] as? [Any])?.isEmpty == true)
            try browser.wait(for: "document.querySelector('.kiosk-main').dataset.idle === 'true'")
            #expect(
                try browser.run("return document.querySelector('.preview .live').hasAttribute('src')") as? Bool == false
            )
            try browser.run("document.dispatchEvent(new Event('pointerdown'))")
            try browser.wait(for: "document.querySelector('.preview .live').naturalWidth > 0")
            try browser.wait(for: "document.querySelector('.kiosk-main').dataset.idle === 'true'")
            // A buzzer begins a session while the screen is dark.
            let isVisible = "getComputedStyle(document.querySelector('.preview')).visibility === 'visible'"
            try browser.record("buzzer", when: Self.screen("session") + " && " + isVisible)
            _ = try program.request("POST", "/api/v1/sessions/club/start?kiosk=yes")
            try browser.awaitRecord("buzzer")
        }

        @Test("The kiosk speaks the language that the person chooses")
        func language() throws {
            let program = try Self.start()
            let browser = try Self.open(program)
            #expect(try browser.text("h1") == "Your picture")
            try browser.click("[lang=de]")
            try browser.wait(for: "document.querySelector('h1').textContent === 'Dein Bild'")
            #expect(try browser.text("[data-action=begin]") == "Los geht’s")
            try Self.touch(browser, "begin")
            try browser.wait(for: "document.querySelector('.scene')?.textContent.includes('in der Halle gezeigt')")
            try Self.touch(browser, "cancel")
            try browser.wait(for: Self.screen("invite"))
            // The next person begins with the language of the kiosk.
            #expect(try browser.text("h1") == "Your picture")
        }

        @Test(
            "A clip shows a red mark, ends at a touch, plays in the review, and is fetched by the link",
            arguments: [Browser.Device.phone, .desktop])
        func clip(device: Browser.Device) throws {
            let program = try Self.start(
                """
                title: Say hello
                countdown: 2s
                share: 10m
                stages: [{ name: hello, outline: face, prompt: Say your name, clip: 5m }]
                """)
            let browser = try Self.open(program, device)
            try browser.record("countdown", when: "document.querySelector('.countdown:not([hidden])')")
            try Self.touch(browser, "begin")
            try browser.awaitRecord("countdown")
            let mark = "document.querySelector('.clip-mark:not([hidden])')"
            try browser.wait(for: "\(mark)?.textContent.startsWith('4:')")
            #expect(try browser.text("[data-action=capture]") == "End the clip")
            #expect(
                try browser.run("return document.querySelector('.prompt').textContent") as? String == "Say your name")
            try PageTests.inspect(browser, "kiosk/recording", device)
            try Self.touch(browser, "capture")
            try browser.wait(for: "document.querySelector('.review video')")
            #expect(try browser.run("return \(mark)") == nil)
            #expect(try browser.text(".review figcaption span").hasPrefix("Hello · 0:"))
            try Self.play(browser, ".review video")
            try PageTests.inspect(browser, "kiosk/review-clip", device)
            try Self.touch(browser, "accept")
            try browser.wait(for: "document.querySelector('.result video')")
            try PageTests.inspect(browser, "kiosk/result-clip", device)
            let code = "document.querySelector('.kiosk-code').dataset.path"
            try browser.wait(for: code)
            let path = try #require(try browser.run("return \(code)") as? String)
            Self.expectQuiet(try browser.complaints())
            try browser.open(program.address + path)
            try browser.wait(for: "document.querySelector('.shared video')")
            #expect(
                try browser.run("return document.querySelector('.shared a').download") as? String == "hello-001.mp4")
            try Self.play(browser, ".shared video")
            Self.expectQuiet(try browser.complaints())
        }

        /// Plays a clip without sound, as browsers allow it, and waits for its pictures.
        private static func play(_ browser: Browser, _ selector: String) throws {
            let result = try browser.runAsync(
                """
                const done = arguments[arguments.length - 1]
                const video = document.querySelector('\(selector)')
                video.addEventListener('timeupdate', () => video.currentTime > 0 && done(`${video.videoWidth} pixels`))
                video.addEventListener('error', () => done(video.error?.message))
                video.muted = true
                video.play().catch((error) => done(String(error)))
                """)
            #expect(result as? String == "640 pixels")
        }

        @Test("A second tap does not reach the button that follows")
        func doubleTap() throws {
            let program = try Self.start()
            let browser = try Self.open(program)
            let before = try program.get("/api/v1/status").json["cameras"] as? [Any]
            #expect(before?.count == 1)
            try Self.passFirstMoments(browser)
            // A tap comes as soon as the button of the consent is there.
            try browser.run(
                """
                const send = window.fetch
                window.requests = []
                window.fetch = (address, options) => {
                  window.requests.push(String(address))
                  return send(address, options)
                }
                new MutationObserver((_, observer) => {
                  const agree = document.querySelector('[data-action=capture]')
                  if (!agree) return
                  observer.disconnect()
                  agree.click()
                  document.body.dataset.isTapped = true
                }).observe(document.body, { childList: true, subtree: true })
                for (let i = 0; i < 2; i++) document.querySelector('[data-action=begin]').click()
                """)
            try browser.wait(for: "document.body.dataset.isTapped")
            try browser.wait(for: "document.querySelector('.scene')?.textContent.includes('shown in the hall')")
            #expect(try browser.run("return document.querySelector('form.scene')") == nil)
            let requests = try browser.run("return window.requests") as? [String] ?? []
            #expect(requests.count { $0.contains("/start") } == 1)
            // The page itself leads from the beginning to the consent.
            #expect(requests.count { $0.contains("/capture") } == 1, "\(requests)")
            Self.expectQuiet(try browser.complaints())
            // The second tap comes as soon as the button of the inviting screen is there. A start disables the button.
            try browser.run(
                """
                new MutationObserver((_, observer) => {
                  const begin = document.querySelector('[data-action=begin]')
                  if (!begin) return
                  observer.disconnect()
                  begin.click()
                  document.body.dataset.isDisabled = begin.disabled
                }).observe(document.body, { childList: true, subtree: true })
                """)
            try Self.touch(browser, "cancel")
            try browser.wait(for: "document.body.dataset.isDisabled")
            #expect(try browser.run("return document.body.dataset.isDisabled") as? String == "false")
            try browser.wait(for: Self.screen("invite"))
        }

        @Test("A reloaded kiosk continues the session that is running")
        func reload() throws {
            let program = try Self.start()
            let browser = try Self.open(program)
            try Self.touch(browser, "begin")
            try browser.wait(for: "document.querySelector('.scene')?.textContent.includes('shown in the hall')")
            try browser.reload()
            try Self.introduce(browser)
            try Self.touch(browser, "discard")
            try browser.click("dialog .primary")
            try browser.wait(for: Self.screen("invite"))
        }

        @Test(
            "Every screen fits, has no error in the console, and no violation of WCAG 2.2 AA",
            arguments: PageTests.devices)
        func everyScreen(device: Browser.Device) throws {
            let program = try Self.start()
            let browser = try Self.open(program, device)
            try browser.wait(for: "document.querySelector('.preview .live').naturalWidth > 0")
            try browser.wait(for: "document.querySelector('.preview .outline-layer').naturalWidth > 0")
            try PageTests.inspect(browser, "kiosk/invite", device)
            try Self.touch(browser, "begin")
            try browser.wait(for: "document.querySelector('.scene .large')")
            try PageTests.inspect(browser, "kiosk/consent", device)
            try Self.touch(browser, "capture")
            try browser.wait(for: "document.querySelector('form.scene input')")
            try PageTests.inspect(browser, "kiosk/form", device)
            try browser.run("document.querySelector('form.scene input').value = 'Ada'")
            try Self.touch(browser, "fill")
            if PageTests.screenshots != nil {
                try browser.wait(for: "document.querySelector('.countdown:not([hidden])')")
                try PageTests.save(try browser.screenshot(), "kiosk/countdown", device)
            }
            try browser.wait(for: "document.querySelector('.review img')?.naturalWidth > 0")
            try PageTests.inspect(browser, "kiosk/review", device)
            try Self.touch(browser, "accept")
            try browser.wait(for: "document.querySelector('.result img')?.naturalWidth > 0")
            try PageTests.inspect(browser, "kiosk/result", device)
            let codePath = "document.querySelector('.kiosk-code').dataset.path"
            try browser.wait(for: codePath)
            let path = try #require(try browser.run("return \(codePath)") as? String)
            try browser.open(program.address + path)
            try browser.wait(for: "document.querySelector('.shared img').naturalWidth > 0")
            try PageTests.inspect(browser, "share", device)
        }

        @Test("A session that a buzzer begins appears on the kiosk, also while the last result is shown")
        func buzzer() throws {
            let program = try Self.start()
            let browser = try Self.open(program)
            for _ in 0..<2 {
                #expect(try program.request("POST", "/api/v1/sessions/club/start?kiosk=yes").status == 201)
                #expect(try program.request("POST", "/api/v1/sessions/club/capture").status == 200)
                try Self.introduce(browser)
                try Self.touch(browser, "accept")
                try browser.wait(for: Self.screen("result"))
            }
        }

        @Test("A kiosk whose service was restarted in a session invites the next person")
        func restart() async throws {
            let folder = try ServedProgram.makeFolder()
            let address = "127.0.0.1:\(try FreePort.number())"
            let first = try Self.start(in: folder, listen: address)
            let browser = try Self.open(first)
            try Self.touch(browser, "begin")
            try browser.wait(for: "document.querySelector('.scene')?.textContent.includes('shown in the hall')")
            await first.kill()
            try browser.wait(for: "document.querySelector('.banner:not([hidden])')")
            let second = try Self.start(in: folder, listen: address)
            try browser.wait(for: Self.screen("invite"))
            try browser.wait(for: "document.querySelector('.banner').hidden")
            try browser.wait(for: "document.querySelector('.preview .live').naturalWidth > 0")
            #expect(await second.stop() == 0)
            try FileManager.default.removeItem(at: folder)
        }

        @Test("A picture of the phone is placed under the outline with fingers and keys")
        func placing() throws {
            let program = try PageTests.startCard()
            let picture = program.folder.appendingPathComponent("phone.jpg")
            try program.get("/snapshot").body.write(to: picture)
            let browser = try Browser.open(.phone)
            try browser.open(program.address + "/#session/card")
            try browser.wait(for: "document.querySelector('[data-action=library]')")
            try browser.click("[data-action=library]")
            try browser.wait(for: "document.querySelector('[data-action=capture]')?.textContent === 'Begin'")
            try browser.click("[data-action=capture]")
            try browser.wait(for: "document.querySelector('[data-action=bring]')")
            // Without a screen, the browser would cancel its dialog at once.
            try browser.command("Page.setInterceptFileChooserDialog", ["enabled": true])
            try browser.click("[data-action=bring]")
            try browser.give(picture.path, to: "[data-name=library]")
            try browser.wait(for: "document.querySelector('.placing')?.dataset.ready === 'yes'")
            try browser.type(Browser.Key.right + Browser.Key.right + "+.")
            let moved = try browser.run("return document.querySelector('.placed').style.transform") as? String
            #expect(moved?.contains("rotate(1deg) scale(1.05)") == true, "\(moved ?? "")")
            try browser.pinch(".placing")
            let pinched = try browser.run("return document.querySelector('.placed').style.transform") as? String
            #expect(pinched != moved)
            try PageTests.inspect(browser, "placing", .phone)
            // The camera's own picture has no place to remove.
            #expect(try browser.run("return document.querySelector('.location')") == nil)
            try browser.click(".placing-dialog .primary")
            try browser.wait(for: "document.querySelector('.review img')?.naturalWidth > 0")
            Self.expectQuiet(try browser.complaints())
        }

        @Test(
            "A picture that says where it was taken loses the place, unless the user keeps it",
            arguments: ["card", "whole"])
        func location(session: String) throws {
            let program = try PageTests.startCard()
            let latitude = Data([52, 31, 7].flatMap { [$0, 0, 0, 0, 1, 0, 0, 0] as [UInt8] })
            let file = program.folder.appendingPathComponent("phone.jpg")
            try Self.located(try program.get("/snapshot").body, latitude).write(to: file)
            for keeps in [false, true] {
                let browser = try Browser.open(.phone)
                try browser.open(program.address + "/?\(keeps)#session/\(session)")
                for action in ["library", "capture", "bring"] {
                    try browser.wait(for: "document.querySelector('[data-action=\(action)]')")
                    try browser.command("Page.setInterceptFileChooserDialog", ["enabled": true])
                    try browser.click("[data-action=\(action)]")
                }
                // A run without a camera shows no live picture.
                #expect(try browser.run("return document.querySelector('.preview')") == nil)
                try browser.give(file.path, to: "[data-name=library]")
                try browser.wait(for: "document.querySelector('.location input')?.checked")
                if keeps { try browser.click(".location input") }
                try PageTests.inspect(browser, "location-\(session)", .phone)
                try browser.click("dialog .primary")
                try browser.wait(for: "document.querySelector('.review img')?.naturalWidth > 0")
                let path = try #require(
                    try browser.run("return document.querySelector('.review a').getAttribute('href')") as? String)
                #expect((try program.get(path).body.firstRange(of: latitude) != nil) == keeps)
                try browser.click("[data-action=accept]")
                try browser.wait(for: "document.querySelector('[data-action=library]')")
                Self.expectQuiet(try browser.complaints())
            }
        }

        /// Returns a JPEG picture with EXIF tags that have a position.
        ///
        /// - Parameter latitude: Three rational numbers.
        private static func located(_ picture: Data, _ latitude: Data) -> Data {
            // A directory at 8 that links to the one of the position at 26, whose values are at 44.
            let tags =
                Data("Exif\0\0II*\0".utf8)
                + [8, 0, 0, 0, 1, 0, 0x25, 0x88, 4, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0]
                + [1, 0, 2, 0, 5, 0, 3, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0] + latitude
            return picture.prefix(2) + [0xff, 0xe1, 0, UInt8(tags.count + 2)] + tags + picture.dropFirst(2)
        }
    }

    /// Starts a service with a session that crops along a card, and one that crops nothing.
    fileprivate static func startCard() throws -> ServedProgram {
        let folder = try ServedProgram.makeFolder()
        for (name, stage) in [("card", "{ name: front, outline: card, crop: outline }"), ("whole", "{ name: front }")] {
            try Data("title: Card\ncountdown: 0s\nstages: [\(stage)]\n".utf8)
                .write(to: folder.appendingPathComponent("\(name).yaml"))
        }
        return try ServedProgram(
            """
              hall: { camera: scene, width: 640, height: 360 }
            sessions:
              card: { session: FOLDER/card.yaml, output: FOLDER }
              whole: { session: FOLDER/whole.yaml, output: FOLDER }
            """ + "\n", in: folder, ownsFolder: true)
    }
}
#endif
