// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

extension PageTests {
    /// The view of the outbox, in the browser of all tests of the page.
    @Suite("The outbox", .enabled(if: PictureServer.isAvailable, PictureServer.advice))
    struct Outbox {
        private static let cameras = """
              garden: { camera: scene, width: 640, height: 360, output: FOLDER/pictures/%05n.jpg }

            """

        /// Starts a service with a sender.
        ///
        /// - Parameter targets: The targets besides `web`, as lines of the outbox.
        private static func start(targets: [String: String] = [:]) throws -> (ServedProgram, PictureServer) {
            let folder = try ServedProgram.makeFolder()
            let server = try PictureServer(in: folder)
            let all = targets.merging(["web": server.address]) { $1 }.sorted { $0.key < $1.key }
            let lines = all.map { "  \($0): { http: \"\($1)\", name: \"{file}.{extension}\" }" }
            let text =
                "targets:\n\(lines.joined(separator: "\n"))\n"
                + "send: [{ from: \(folder.path)/pictures, to: [\(all.map(\.key).joined(separator: ", "))] }]\n"
            try Data(text.utf8).write(to: folder.appendingPathComponent("outbox.yaml"))
            let program = try ServedProgram(
                cameras, in: folder, ownsFolder: true, head: "outbox: FOLDER/outbox.yaml\n")
            return (program, server)
        }

        private static func open(_ program: ServedProgram, _ device: Browser.Device = .desktop) throws -> Browser {
            let browser = try Browser.open(device)
            try browser.open("\(program.address)/#outbox")
            try browser.wait(for: "document.querySelector('.tabs a[aria-current]').href.endsWith('#outbox')")
            try browser.wait(for: "document.querySelector('.target')")
            return browser
        }

        private static func has(_ badge: String, _ target: String = "web") -> String {
            "document.querySelector('[data-target=\(target)] .badge')?.textContent === '\(badge)'"
        }

        @Test("A dead picture appears with its reason, and disappears when the user has sent it again")
        func dead() throws {
            let (program, server) = try Self.start()
            let browser = try Self.open(program)
            try browser.wait(for: Self.has("everything sent"))
            try browser.run("window.isSamePage = true")
            try server.mark("refuse", true)
            #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            try browser.wait(
                for: "document.querySelector('.jobs li')?.textContent.includes('refuses a file of this size (413)')")
            try server.mark("refuse", false)
            try browser.click(".jobs [data-name^=retry]")
            try browser.wait(for: "document.querySelector('.messages').textContent.includes('is sent again')")
            try browser.wait(for: "!document.querySelector('.jobs') && \(Self.has("everything sent"))")
            #expect(server.pictures == ["00001.jpg"])
            // The button is gone with the picture: the focus is at the title of its target.
            #expect(try browser.run("return document.activeElement.id") as? String == "target-web")
            #expect(try browser.run("return window.isSamePage") as? Bool == true)
            try browser.run("location.hash = 'pictures'")
            try browser.wait(for: "document.querySelector('.cell[data-id] img')?.naturalWidth > 0")
            try browser.click(".cell[data-id]")
            try browser.wait(for: "document.querySelector('.viewer .full')?.naturalWidth > 0")
            try browser.type("i")
            try browser.wait(for: "document.querySelector('[data-upload=web]')?.textContent === 'web: sent'")
            #expect(try browser.complaints() == [])
        }

        @Test("A target pauses and continues, and only users who may capture have the buttons")
        func pause() throws {
            let (program, server) = try Self.start()
            let browser = try Self.open(program, .phone)
            try browser.wait(for: Self.has("everything sent"))
            try browser.click("[data-name=pause-web]")
            try browser.wait(for: Self.has("paused"))
            // The focus stays on the button, which continues now.
            #expect(try browser.run("return document.activeElement.textContent") as? String == "Resume")
            #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            try browser.wait(for: "document.querySelector('.target dl').textContent.includes('Waiting1 picture')")
            try browser.click("[data-name=pause-web]")
            try browser.wait(for: Self.has("everything sent"))
            #expect(server.pictures == ["00001.jpg"])
            _ = try browser.runAsync(
                """
                const done = arguments[arguments.length - 1]
                const page = document.querySelector('link[href$="page.css"]').href
                import(new URL('state.js', page).href).then(({ state }) => {
                  state.me.role = 'view'
                  location.hash = 'sessions'
                  done()
                })
                """)
            try browser.wait(for: "document.querySelector('.sessions-view')")
            try browser.run("location.hash = 'outbox'")
            try browser.wait(for: Self.has("everything sent"))
            #expect(try browser.run("return document.querySelectorAll('.target button').length") as? Int == 0)
            #expect(try browser.complaints() == [])
        }

        @Test("Without an outbox, the page has no view of it")
        func none() throws {
            let program = try ServedProgram("  garden: { camera: scene, width: 320, height: 240 }\n")
            let browser = try Browser.open(.phone)
            try browser.open("\(program.address)/#outbox")
            try browser.wait(for: "\(Browser.liveWidth) > 0")
            #expect(try browser.run("return document.querySelectorAll('.tabs a').length") as? Int == 3)
            #expect(try browser.complaints() == [])
        }

        @Test("The view fits each screen, and has no violation of WCAG 2.2 AA")
        func look() throws {
            let (program, server) = try Self.start(targets: ["archive": "http://127.0.0.1:9/pictures"])
            try server.mark("refuse", true)
            for _ in 1...3 { #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201) }
            for device in PageTests.devices {
                let browser = try Self.open(program, device)
                try browser.wait(for: "document.querySelectorAll('.jobs li').length === 3")
                try browser.wait(for: "document.querySelector('[data-target=archive] .fault-line')")
                try PageTests.save(try browser.screenshot(), "outbox/top", device)
                // The tabs cover no button at the end of the page.
                try browser.run("scrollTo(0, document.body.scrollHeight)")
                try PageTests.inspect(browser, "outbox", device)
            }
        }
    }
}
#endif
