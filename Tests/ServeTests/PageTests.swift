// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

/// The web page in Debian's Chromium. The tests share it, one after the other.
@Suite("The web page", .ownThread, .serialized, .disabled(if: Browser.missing != nil, Browser.missing))
struct PageTests {
    private static let session = """
        title: Two
        start: trigger
        next-stages: trigger
        countdown: 2s
        tutorial: [Welcome, Smile]
        stages: [{ name: one, outline: face, prompt: Look here }, { name: two, skippable: yes }]
        """
    private static let configuration = """
          garden:
            camera: scene
            width: 640
            height: 360
            framerate: 30
            output: FOLDER/pictures/%n.jpg
            series: SERIES
          hall: { source: videotestsrc is-live=true, width: 320, height: 240 }
        sessions:
          two: { session: FOLDER/two.yaml, camera: hall, output: FOLDER }
        """

    /// Creates a folder with the session and the folders of the pictures.
    private static func folder() throws -> URL {
        let folder = try ServedProgram.makeFolder()
        try Data(session.utf8).write(to: folder.appendingPathComponent("two.yaml"))
        for name in ["pictures", "quick"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        return folder
    }

    /// Starts the service, with a series of the camera unless a test shows the last picture.
    private static func start(
        hasSeries: Bool = true, series: String = "quick: { interval: 1s, output: FOLDER/quick/%n.jpg }",
        in given: URL? = nil, listen: String = "127.0.0.1:0"
    ) throws -> ServedProgram {
        let series = hasSeries ? "{ \(series) }" : "{}"
        return try ServedProgram(
            configuration.replacing("SERIES", with: series) + "\n", in: try given ?? folder(), ownsFolder: given == nil,
            listen: listen)
    }

    /// Opens a view of the page, and waits until it is drawn.
    private static func open(
        _ program: ServedProgram, _ view: String = "", _ device: Browser.Device = .desktop
    ) throws -> Browser {
        let browser = try Browser.open(device)
        try browser.open(program.address + "/#" + view)
        try browser.wait(for: "document.querySelector('.tabs a[aria-current]')")
        return browser
    }

    private static let hasPicture = "\(Browser.liveWidth) > 0"

    // --- Live

    @Test("The live picture comes, a press takes a picture, and the last one opens in full size")
    func snap() throws {
        let program = try Self.start(hasSeries: false)
        let browser = try Self.open(program, "live/garden", .phone)
        try browser.wait(for: Self.hasPicture)
        try browser.click(".shutter")
        try browser.wait(for: "document.querySelector('.last-picture img')?.src.includes('/garden-')")
        let taken = try program.get("/api/v1/stills?camera=garden&series=garden").json["stills"] as? [Any]
        #expect(taken?.count == 1)
        try browser.click(".last-picture")
        try browser.wait(for: "document.querySelector('.viewer .full').naturalWidth === 640")
        #expect(try browser.complaints() == [])
    }

    @Test("The live picture becomes video, its transport is named, and a press changes to pictures and back")
    func transport() throws {
        let program = try Self.start(hasSeries: false)
        let browser = try Self.open(program, "live/garden")
        let video = "document.querySelector('.preview video.live')"
        try browser.wait(
            for: "document.querySelector('.transport').textContent === 'H.264' && \(video).videoWidth === 640")
        let time = try #require(try browser.run("return \(video).currentTime") as? Double)
        try browser.wait(for: "\(video).currentTime > \(time + 0.5)")
        let picture = "document.querySelector('.preview img.live')"
        let colors = try Self.colors(of: video, in: browser)
        #expect(try browser.run("return \(picture).hasAttribute('src')") as? Bool == false)
        try browser.click(".transport")
        try browser.wait(for: "document.querySelector('.transport').textContent === 'JPEG' && !\(video)")
        try browser.wait(for: "\(picture).naturalWidth === 640")
        let others = try Self.colors(of: picture, in: browser)
        #expect(zip(colors, others).allSatisfy { abs($0 - $1) < 12 }, "\(colors) \(others)")
        try browser.reload()
        try browser.wait(for: "document.querySelector('.transport').textContent === 'JPEG'")
        try browser.click(".transport")
        try browser.wait(for: "\(video)?.videoWidth === 640")
        #expect(try browser.complaints() == [])
    }

    @Test("The clip of a session is shown to every viewer of the camera, which has no tool for it")
    func sessionClip() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = "countdown: 0\nstart: now\nstages: [{ name: hello, clip: 5m }]"
        try Data(session.utf8).write(to: folder.appendingPathComponent("two.yaml"))
        let program = try Self.start(hasSeries: false, in: folder)
        let browser = try Self.open(program, "live/hall", .phone)
        try browser.wait(for: Self.hasPicture)
        #expect(try program.request("POST", "/api/v1/sessions/two/start").status == 201)
        try browser.wait(for: "document.querySelector('.recording:not([hidden])')?.textContent === '0:01'")
        try browser.wait(for: "!document.querySelector('.tools [data-name=video]')")
        #expect(try program.request("POST", "/api/v1/sessions/two/cancel").status == 200)
        try browser.wait(for: "document.querySelector('.recording').hidden")
        #expect(try browser.complaints() == [])
    }

    @Test("A recording is begun, shown to every viewer, ended, played and deleted")
    func recording() throws {
        let cameras = """
              garden: { camera: scene, width: 640, height: 480, clips: { output: FOLDER/clips/%n.mp4, keep-free: 0 } }

            """
        let program = try ServedProgram(cameras)
        let browser = try Self.open(program, "live/garden", .phone)
        try browser.wait(for: Self.hasPicture)
        try browser.click(".tools [data-name=video]")
        try browser.wait(for: "document.querySelector('.clips .quiet')")
        try browser.click("[data-name=record]")
        try browser.wait(for: "document.querySelector('[data-name=record].stop')")
        try browser.wait(for: "document.querySelector('.recording:not([hidden])').textContent === '0:01'")
        try browser.wait(for: "document.querySelector('[data-clip] .busy')")
        try browser.click("[data-name=record]")
        try browser.wait(
            for: "document.querySelector('[data-clip] video') && document.querySelector('.recording').hidden")
        try browser.run("document.querySelector('[data-clip] video').play()")
        try browser.wait(for: "document.querySelector('[data-clip] video').videoWidth === 640")
        try browser.wait(for: "document.querySelector('[data-clip] video').currentTime > 0.2")
        try browser.click("[data-clip] button")
        try browser.click("dialog .primary")
        try browser.wait(for: "!document.querySelector('[data-clip]')")
        #expect(try browser.complaints() == [])
    }

    /// Returns red, green and blue of the seven bars of the scene.
    private static func colors(of element: String, in browser: Browser) throws -> [Int] {
        let found = try browser.run(
            """
            const [shown, canvas] = [\(element), document.createElement('canvas')]
            canvas.width = 7; canvas.height = 4
            const context = canvas.getContext('2d')
            context.drawImage(shown, 0, 0, 7, 4)
            return [...context.getImageData(0, 1, 7, 1).data].filter((_, index) => index % 4 < 3)
            """)
        return try #require(found as? [Int])
    }

    @Test("A delayed picture counts down, and the countdown can be stopped")
    func delayed() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "live/garden")
        try browser.run("localStorage['gst-capture-settings'] = JSON.stringify({ delay: 30 })")
        try browser.reload()
        try browser.wait(for: Self.hasPicture)
        try browser.type("d")
        try browser.wait(for: "document.querySelector('.countdown:not([hidden]) .number').textContent > 0")
        #expect(try browser.run("return document.querySelector('[data-name=burst]').disabled") as? Bool == true)
        try browser.click(".shutter.stop")
        try browser.wait(
            for: "document.querySelector('.countdown').hidden && !document.querySelector('[data-name=burst]').disabled")
        let taken = try program.get("/api/v1/stills?series=garden").json["stills"] as? [Any]
        #expect(taken?.isEmpty == true)
        #expect(try browser.run("return document.querySelectorAll('.message').length") as? Int == 0)
    }

    @Test("An outline is drawn over the picture, as transparent as the user wants, and stays after a reload")
    func outline() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "live/garden")
        try browser.wait(for: Self.hasPicture)
        try browser.type("o")
        try browser.wait(for: "document.querySelector('[data-outline=face]')")
        try browser.click("[data-outline=face]")
        try browser.wait(for: "document.querySelector('.preview .outline-layer').naturalWidth === 640")
        // The corner is clear, and somewhere the outline is not.
        let opacities = try browser.run(
            """
            const image = document.querySelector('.preview .outline-layer'), canvas = document.createElement('canvas')
            canvas.width = image.naturalWidth; canvas.height = image.naturalHeight
            const context = canvas.getContext('2d')
            context.drawImage(image, 0, 0)
            const data = context.getImageData(0, 0, canvas.width, canvas.height).data
            let most = 0
            for (let i = 3; i < data.length; i += 4) most = Math.max(most, data[i])
            return [data[3], most]
            """)
        let found = try #require(opacities as? [Int])
        #expect(found[0] == 0 && found[1] > 200)
        try browser.run(
            "const input = document.querySelector('[type=range]'); input.value = 30; input.dispatchEvent(new Event('input'))"
        )
        #expect(
            try browser.run("return document.querySelector('.preview .outline-layer').style.opacity") as? String
                == "0.3")
        try browser.reload()
        try browser.wait(for: "document.querySelector('.preview .outline-layer').naturalWidth === 640")
        #expect(try browser.complaints() == [])
    }

    @Test("A switch of the camera keeps the last picture, blurred, until the other one is there")
    func switchCamera() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "live/garden")
        try browser.wait(for: Self.hasPicture)
        try browser.run(
            "const select = document.querySelector('header select'); select.value = 'hall'; select.dispatchEvent(new Event('change'))"
        )
        try browser.wait(for: "\(Browser.liveWidth) === 320")
        #expect(try browser.run("return location.hash") as? String == "#live/hall")
        #expect(try browser.complaints() == [])
    }

    @Test("A series is created, seen, stopped and removed")
    func series() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "live/garden")
        try browser.run("[...document.querySelectorAll('.tool')].find(tool => tool.textContent === 'Series').click()")
        try browser.wait(for: "document.querySelector('.series-list article')?.textContent.includes('captured')")
        // The chart of a running series needs two pictures.
        try browser.wait(for: "document.querySelector('.chart polyline')")
        try browser.run("document.querySelector('details.card').open = true")
        try browser.run("document.querySelector('details.card input[type=text]').value = 'mine'")
        try browser.click("details.card .primary")
        try browser.wait(for: "document.querySelector('[aria-label=mine] .running')")
        #expect(try program.get("/api/v1/series/mine").json["state"] as? String == "running")
        try browser.run(
            "[...document.querySelectorAll('[aria-label=mine] button')].find(button => button.textContent === 'Stop').click()"
        )
        try browser.wait(for: "document.querySelector('[aria-label=mine] .stopped')")
        try browser.run(
            "[...document.querySelectorAll('[aria-label=mine] button')].find(button => button.textContent === 'End and remove').click()"
        )
        try browser.click("dialog .primary")
        try browser.wait(for: "!document.querySelector('[aria-label=mine]')")
        #expect(try program.get("/api/v1/series/mine").status == 404)
        #expect(try browser.complaints() == [])
    }

    // --- Pictures

    @Test("A live photo of a series plays when it opens, and again on request")
    func livePhoto() throws {
        let program = try Self.start(series: "alive: { interval: 4s, live: yes, output: FOLDER/quick/%n.MP.jpg }")
        let browser = try Self.open(program, "pictures/q/series:alive")
        try browser.wait(for: "document.querySelector('.cell[data-id]:not([hidden])')")
        try browser.click(".cell[data-id]")
        let movie = "document.querySelector('.viewer .movie')"
        try browser.wait(for: "\(movie)?.currentTime > 0.2 && !\(movie).hidden")
        // It plays once, and the picture stays.
        try browser.wait(for: "\(movie).hidden && document.querySelector('.viewer .full').naturalWidth === 640")
        try browser.click(".viewer [data-name=play]")
        try browser.wait(for: "!\(movie).hidden && \(movie).currentTime > 0.2")
        #expect(try browser.complaints() == [])
    }

    @Test("With live photos on, the shutter makes one, and the page has the frames before it kept")
    func livePhotos() throws {
        let program = try Self.start(hasSeries: false)
        let browser = try Self.open(program, "live/garden", .phone)
        let tool = "document.querySelector('.tool[data-name=live-photo]')"
        try browser.wait(for: "\(tool)?.ariaPressed === 'false'")
        try browser.click(".tool[data-name=live-photo]")
        try browser.wait(for: "\(tool).ariaPressed === 'true'")
        try browser.wait(for: "document.querySelector('.preview video.live')?.videoWidth > 0")
        try program.awaitCamera { ($0["live"] as? [String: Any])?["bytes"] as? Int ?? 0 > 0 }
        try browser.click("[data-name=shutter]")
        try browser.wait(for: "!document.querySelector('.last-picture').hidden")
        let photo = try program.get("/api/v1/stills/garden-1").body
        #expect(photo.range(of: Data("MotionPhoto".utf8)) != nil)
        try browser.click(".tool[data-name=live-photo]")
        try program.awaitCamera { $0["live"] is NSNull }
        #expect(try browser.complaints() == [])
    }

    @Test("A clip appears in the grid with its length beside newer pictures, plays, is deleted and restored")
    func clip() throws {
        let folder = try Self.folder()
        let program = try Self.startClips(in: folder)
        let browser = try Self.open(program, "pictures", .phone)
        try browser.wait(for: "document.querySelector('.live-cell')")
        try Self.record(program) {
            let snapped = try program.request("POST", "/api/v1/cameras/garden/snap")
            #expect(snapped.status == 201)
        }
        let cell = "document.querySelector('.cell:has(.cell-length)')"
        try browser.wait(for: "\(cell)?.firstChild.naturalWidth > 0")
        let label = try browser.run("return \(cell).getAttribute('aria-label')") as? String
        #expect(label?.contains("Clip, ") == true && label?.contains(" second") == true, "\(label ?? "")")
        try browser.click(".cell:has(.cell-length)")
        let video = "document.querySelector('.viewer video.clip')"
        try browser.wait(for: "\(video) === document.activeElement && \(video).poster.includes('size=1280')")
        try browser.run(
            "const video = \(video); video.addEventListener('timeupdate', () => { video.dataset.time = video.currentTime })"
        )
        try browser.type(" ")
        try browser.wait(for: "\(video).videoWidth === 640 && \(video).dataset.time > 0.2")
        #expect(try browser.run("return document.querySelector('.viewer .frame').hidden") as? Bool == true)
        try browser.run("\(video).pause()")
        let id = try #require(try browser.run("return \(cell).dataset.id") as? String)
        try browser.click(".viewer [data-name=remove]")
        try browser.wait(for: "!\(cell) && document.querySelector('.viewer .full').naturalWidth > 0")
        try browser.click(".viewer [data-name=close]")
        // The viewer goes back in the history after it has closed.
        try browser.wait(for: "!history.state?.isViewer")
        try browser.run("location.hash = 'pictures/trash'")
        let deleted = "document.querySelector('.trash-view [data-id=\"\(id)\"]')"
        try browser.wait(for: "\(deleted)?.firstChild.naturalWidth > 0")
        try browser.click(".trash-view .cell[data-id]")
        try browser.wait(for: "document.querySelector('[data-name=restore]')")
        try browser.click("[data-name=restore]")
        // The library has it again when the trash does not show it any more.
        try browser.wait(for: "!\(deleted)")
        try browser.run("location.hash = 'pictures/q/kind:clip'")
        try browser.wait(for: "\(cell)?.dataset.id === '\(id)' && \(Self.cells).length === 1")
        #expect(try browser.complaints() == [])
    }

    @Test(
        "The grid and the viewer of clips fit each screen, and have no violation of WCAG 2.2 AA",
        arguments: [
            Browser.Device.phone, .phone.with("de", isDark: true), .desktop, .desktop.with("en", isDark: true),
        ])
    func clipViews(device: Browser.Device) throws {
        let folder = try Self.folder()
        let program = try Self.startClips(in: folder)
        try Self.record(program)
        let browser = try Self.open(program, "pictures/q/kind:clip", device)
        try browser.wait(for: "document.querySelector('.cell:has(.cell-length)')?.firstChild.naturalWidth > 0")
        try Self.inspect(browser, "clips/grid", device)
        try browser.click(".cell:has(.cell-length)")
        try browser.wait(for: "document.querySelector('.viewer.with-clip .viewer-bar button')")
        try Self.inspect(browser, "clips/viewer", device)
    }

    /// Starts a service whose camera has a series and clips.
    private static func startClips(in folder: URL) throws -> ServedProgram {
        let cameras = """
              garden:
                camera: scene
                width: 640
                height: 360
                framerate: 30
                output: FOLDER/pictures/%n.jpg
                clips: { output: FOLDER/clips/%n.mp4, keep-free: 0 }

            """
        return try ServedProgram(cameras, in: folder, ownsFolder: true)
    }

    /// Records a clip of two seconds, and waits until it is complete.
    ///
    /// - Parameter body: Is called when the clip has begun.
    private static func record(_ program: ServedProgram, meanwhile body: () throws -> Void = {}) throws {
        let events = try EventClient(program)
        #expect(try program.request("POST", "/api/v1/cameras/garden/record?for=2s").status == 202)
        while let event = events.next() {
            guard event.name == "clip" else { continue }
            if event.data["type"] as? String == "began" { try body() }
            if event.data["type"] as? String == "recorded" { return }
        }
    }

    @Test("Pictures appear by day, open with keys, and a removal can be undone")
    func pictures() throws {
        let program = try Self.start()
        try Self.snap(3, program)
        let browser = try Self.open(program, "pictures/q/series:garden", .phone)
        let cells = "[...document.querySelectorAll('.cell[data-id]:not([hidden])')]"
        try browser.wait(for: "\(cells).length === 3 && \(cells).every(cell => cell.firstChild.naturalWidth > 0)")
        try browser.click(".cell[data-id]")
        try browser.wait(for: "document.querySelector('.viewer .full').naturalWidth === 640")
        // A hidden element with the focus would use the keys for itself.
        try browser.wait(for: "document.activeElement.matches('.viewer button')")
        try browser.type(Browser.Key.right)
        try browser.wait(for: "document.querySelector('.viewer .full').src.endsWith('garden-2')")
        try browser.type("i")
        try browser.wait(for: "document.querySelector('.viewer .details').textContent.includes('SHA-256')")
        try browser.click(".viewer [data-name=ghost]")
        try browser.wait(for: "document.querySelector('.preview .ghost:not([hidden])')?.src.endsWith('garden-2')")
        try browser.run("location.hash = 'pictures/q/series:garden'")
        try browser.wait(for: "\(cells).length === 3")
        // A selection of two is removed, and comes back.
        try browser.run("document.querySelector('.head button').click()")
        try browser.run("\(cells).slice(0, 2).forEach(cell => cell.click())")
        #expect(
            try browser.run("return document.querySelector('.selection a').href") as? String
                == "\(program.address)/api/v1/stills.zip?ids=garden-3%2Cgarden-2")
        // The page offers the undo for a few seconds: one script uses it.
        _ = try browser.runAsync(
            """
            const done = arguments[arguments.length - 1]
            new MutationObserver((_, observer) => {
              const undo = document.querySelector('.message button')
              if (!undo || \(cells).length !== 1) return
              observer.disconnect()
              undo.click()
              done()
            }).observe(document.body, { subtree: true, childList: true, attributes: true })
            ;[...document.querySelectorAll('.selection button')].find(button => button.textContent === 'Delete').click()
            """)
        try browser.wait(for: "\(cells).length === 3")
        #expect((try program.get("/api/v1/stills?series=garden").json["stills"] as? [Any])?.count == 3)
        #expect(try browser.complaints() == [])
    }

    @Test("A removal of the picture that is shown in full size can be undone there")
    func removal() throws {
        let program = try Self.start(hasSeries: false)
        try Self.snap(2, program)
        let browser = try Self.open(program, "pictures", .phone)
        let cells = "document.querySelectorAll('.cell[data-id]:not([hidden])').length"
        try browser.wait(for: "\(cells) === 2")
        try browser.click(".cell[data-id]")
        try browser.wait(for: "document.querySelector('.viewer .full')?.naturalWidth > 0")
        try browser.click(".viewer [data-name=remove]")
        try browser.wait(for: "\(cells) === 1")
        try browser.click(".message button")
        try browser.wait(for: "\(cells) === 2 && document.querySelector('.viewer .full').src.endsWith('garden-2')")
        try browser.click(".viewer [data-name=close]")
        try browser.wait(for: "!document.querySelector('.viewer') && document.querySelector('body > .messages')")
        #expect(try browser.complaints() == [])
    }

    @Test("The archive of several pictures has them unchanged")
    func archive() async throws {
        let program = try Self.start()
        try Self.snap(2, program)
        let response = try program.get("/api/v1/stills.zip?ids=garden-2,garden-1,garden-999")
        #expect(response.status == 200)
        let file = program.folder.appendingPathComponent("pictures.zip")
        try response.body.write(to: file)
        let script = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            assert archive.testzip() is None
            print(' '.join(archive.namelist()))
            for name in archive.namelist(): open(name + '.copy', 'wb').write(archive.read(name))
            """
        let result = try await ServedProgram.run(["/usr/bin/python3", "-c", script, file.path], in: program.folder)
        #expect(result.output == "garden-2-2.jpg garden-1-1.jpg", "\(result.error)")
        let copy = try Data(contentsOf: program.folder.appendingPathComponent("garden-1-1.jpg.copy"))
        #expect(try copy == Data(contentsOf: program.folder.appendingPathComponent("pictures/1.jpg")))
        #expect(try program.get("/api/v1/stills.zip?ids=garden-1,garden-1").status == 400)
        #expect(try program.get("/api/v1/stills.zip?ids=..%2Fa").status == 404)
        #expect(try program.get("/api/v1/stills.zip?ids=").status == 400)
        #expect(try program.get("/api/v1/stills.zip").status == 400)
    }

    @Test("The back button of the browser closes a picture that is shown alone, and leaves the grid below it")
    func back() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "pictures", .phone)
        let viewer = "document.querySelector('.viewer .full')?.naturalWidth > 0"
        let grid = "!document.querySelector('.viewer') && document.querySelectorAll('.cell[data-id]').length > 0"
        for close in ["history.back()", "document.querySelector('.viewer [aria-label=Close]').click()"] {
            try browser.wait(for: "document.querySelector('.cell[data-id] img')?.naturalWidth > 0")
            try browser.run("document.querySelector('.cell[data-id]').click()")
            try browser.wait(for: viewer)
            try browser.run(close)
            try browser.wait(for: grid + " && !history.state?.isViewer")
            #expect(try browser.run("return location.hash") as? String == "#pictures")
        }
        #expect(try browser.complaints() == [])
    }

    // --- The library

    private static let enter = "\u{E007}"
    private static let cells = "document.querySelectorAll('.cell[data-id]')"

    /// Takes pictures of the garden at different moments, and waits until the library has them.
    @discardableResult
    private static func snap(_ count: Int, _ program: ServedProgram) throws -> [String] {
        for _ in 0..<count {
            #expect(try program.request("POST", "/api/v1/cameras/garden/snap?delay=100ms").status == 201)
        }
        while true {
            let found = try program.get("/api/v1/library/items?q=series:garden").json["items"] as? [[String: Any]] ?? []
            if found.count == count { return found.compactMap { $0["id"] as? String } }
        }
    }

    /// Starts the service with pictures on request, and waits until the library has them. The IDs are newest first.
    private static func startLibrary(_ count: Int) throws -> (program: ServedProgram, ids: [String]) {
        let program = try start(hasSeries: false)
        return (program, try snap(count, program))
    }

    @Test("Live video makes up for a stall, and in an uneven network its delay grows until it does not stall")
    func livePace() throws {
        let program = try Self.start(hasSeries: false)
        let browser = try Self.open(program)
        // Plays 20 seconds of video on a simulated clock.
        let result = try browser.runAsync(
            """
            const done = arguments[arguments.length - 1]
            const page = document.querySelector('link[href$="page.css"]').href
            import(new URL('live-pace.js', page).href).then(({ LivePace }) => {
              const play = (lateness) => {
                const pace = new LivePace()
                let [now, position, end, rate, fastest, lastStall] = [0, 0, 0, 1, 1, 0]
                const waits = []
                for (let number = 0; number < 600; number++) {
                  const time = Math.max(now, number / 30 + lateness(number))
                  position += (time - now) * rate
                  if (position > end && number) [position, lastStall] = [end, time]
                  now = time
                  waits.push(end - position)
                  rate = pace.rate(end, position, now)
                  fastest = Math.max(fastest, rate)
                  end = (number + 1) / 30
                }
                return [lastStall, Math.min(...waits.slice(-60)), Math.max(...waits.slice(-60)), fastest]
              }
              const stall = (number) => number >= 150 && number < 162 ? (162 - number) / 30 : 0
              done([...play(stall), ...play((number) => number % 10 ? 0 : 0.12)])
            })
            """)
        let numbers = try #require(result as? [Double])
        let (afterStall, uneven) = (numbers.prefix(4), Array(numbers.dropFirst(4)))
        #expect((5...5.5).contains(afterStall[0]), "the last stall")
        #expect(afterStall[1] >= 0.03 && afterStall[2] <= 0.06, "the pictures wait for the reserve: \(afterStall)")
        #expect(afterStall[3] == 1.1)
        #expect(uneven[0] < 3, "no later stall: \(uneven)")
        #expect(uneven[1] <= 0.06 && uneven[2] <= 0.19, "the delay is the one that the network needs: \(uneven)")
    }

    @Test("Each of a million pictures has one place in the grid, and the scroll bar reaches all of them")
    func layout() throws {
        let program = try Self.start(hasSeries: false)
        let browser = try Self.open(program)
        let result = try browser.runAsync(
            """
            const done = arguments[arguments.length - 1]
            const page = document.querySelector('link[href$="page.css"]').href
            import(new URL('grid-layout.js', page).href).then((grid) => {
              const days = Array.from({ length: 1000 }, (_, index) => ({ day: `${index}`, count: 1000 }))
              const layout = grid.layOut(days, { columns: 7, rowHeight: 200, headHeight: 44, lead: 1 })
              const map = new grid.ScrollMap(layout.height)
              let wrong = 0
              for (let index = 0; index < 1e6; index += 97) {
                const { section, slot, top } = grid.place(layout, index)
                const parts = grid.slotsBetween(layout, top, top + 1)
                const isShown = parts.some((part) => part.section === section && part.first <= slot && slot < part.end)
                const isSame = grid.indexOf(layout, section, slot) === index
                if (!isShown || !isSame || Math.abs(map.toContent(map.toScroll(top)) - top) > 0.01) wrong += 1
              }
              done([wrong, layout.count, map.height])
            })
            """)
        #expect(result as? [Int] == [0, 1_000_000, 4_000_000])
        #expect(try browser.complaints() == [])
    }

    @Test("The terms of a search become chips, the address has them, and the back button returns to the search before")
    func search() throws {
        let (program, ids) = try Self.startLibrary(3)
        let change = #"{"add": ["first snow"], "stars": 4}"#
        #expect(try program.send("PATCH", "/api/v1/library/items/\(ids[1])", json: change).status == 200)
        let browser = try Self.open(program, "pictures")
        try browser.wait(for: "\(Self.cells).length === 3")
        try browser.click(".search input")
        try browser.type("first")
        try browser.wait(for: "document.querySelector('.suggestions li')?.dataset.term === 'tag:\"first snow\"'")
        try browser.click(".suggestions li")
        let isFound =
            "\(Self.cells).length === 1 && document.querySelector('.cell[data-id]').dataset.id === '\(ids[1])'"
        try browser.wait(for: "document.querySelectorAll('.chip').length === 1 && \(isFound)")
        try browser.type("stars:5 ")
        try browser.wait(
            for:
                "document.querySelectorAll('.chip').length === 2 && document.body.innerText.includes('No picture matches')"
        )
        let address = try browser.run("return decodeURIComponent(location.hash)") as? String
        #expect(address == "#pictures/q/tag:\"first snow\" stars:5")
        try browser.run("history.back()")
        try browser.wait(for: "document.querySelectorAll('.chip').length === 1 && \(isFound)")
        #expect(try browser.complaints() == [])
        // The service explains a wrong term.
        try browser.click(".search input")
        try browser.type("stars:9" + Self.enter)
        try browser.wait(
            for:
                "document.querySelector('.fault-line:not([hidden])')?.textContent.includes('is not a number of stars')"
        )
    }

    @Test("The button that clears a search stays beside its terms on a phone")
    func clear() throws {
        let program = try Self.start(hasSeries: false)
        let browser = try Self.open(program, "pictures/q/series:garden", .phone.with("de", isDark: false))
        try browser.wait(for: "document.querySelector('.chip')")
        let isBeside = """
            const [chip, clear] = ['.chip', '.clear'].map((name) => document.querySelector(name).getBoundingClientRect())
            return clear.top < chip.bottom && clear.left > chip.right
            """
        #expect(try browser.run(isBeside) as? Bool == true)
    }

    @Test("Tags, stars and the title of a picture are changed in full size")
    func notes() throws {
        let (program, ids) = try Self.startLibrary(2)
        let browser = try Self.open(program, "pictures", .phone)
        try browser.wait(for: "\(Self.cells).length === 2")
        try browser.click(".cell[data-id]")
        try browser.wait(for: "document.querySelector('.viewer .full')?.naturalWidth === 640")
        try browser.type("4")
        try browser.wait(for: "document.querySelector('.viewer .caption').textContent.includes('★★★★')")
        try browser.type("i")
        try browser.wait(for: "document.querySelector('.viewer .tag-field input')")
        try browser.click(".viewer .tag-field input")
        try browser.type("first snow" + Self.enter)
        try browser.wait(for: "document.querySelector('.viewer [data-tag=\"first snow\"]')")
        try browser.click(".viewer [data-name=title]")
        try browser.type("Winter" + Self.enter)
        try browser.wait(for: "document.querySelector('.viewer .caption').textContent.includes('Winter')")
        let item = try program.get("/api/v1/library/items/\(ids[0])").json
        #expect(item["stars"] as? Int == 4 && item["title"] as? String == "Winter")
        #expect(item["tags"] as? [String] == ["first snow"])
        try Self.inspect(browser, "viewer", .phone)
        try browser.click(".viewer [data-tag]")
        try browser.wait(for: "!document.querySelector('.viewer [data-tag]')")
        #expect(try program.get("/api/v1/library/items/\(ids[0])").json["tags"] as? [String] == [])
        #expect(try browser.complaints() == [])
    }

    @Test("A deleted picture is in the trash, from which it comes back or is erased")
    func trash() throws {
        let (program, ids) = try Self.startLibrary(2)
        let browser = try Self.open(program, "pictures")
        try browser.wait(for: "\(Self.cells).length === 2")
        try browser.run("document.querySelector('.head button').click()")
        try browser.click(".cell[data-id]")
        try browser.wait(for: "document.querySelector('.selection button:last-child')?.textContent === 'Delete'")
        try browser.click(".selection button:last-child")
        try browser.wait(for: "\(Self.cells).length === 1 && document.querySelector('.message')")
        let isRemoved = "performance.getEntriesByName('\(program.address)/api/v1/library/items/\(ids[0])').length > 0"
        try browser.wait(for: isRemoved)
        try browser.run("location.hash = 'pictures/trash'")
        let cell = "document.querySelector('.trash-view [data-id=\"\(ids[0])\"]')"
        try browser.wait(for: "\(cell)?.textContent === '30 days left' && \(cell).firstChild.naturalWidth > 0")
        try Self.inspect(browser, "trash", .desktop)
        let size = try browser.run("return document.querySelector('.trash-view p').textContent") as? String
        #expect(size?.contains("The trash has one picture") == true)
        try browser.click(".trash-view .cell[data-id]")
        try browser.wait(for: "document.querySelector('[data-name=restore]')")
        try browser.click("[data-name=restore]")
        try browser.wait(for: "document.querySelector('.trash-view .quiet')?.textContent === 'The trash is empty.'")
        #expect(try program.get("/api/v1/library/items/\(ids[0])").status == 200)
        #expect(try browser.complaints() == [])
        // Only a confirmation erases all.
        #expect(try program.request("DELETE", "/api/v1/library/items/\(ids[1])").status == 204)
        try browser.reload()
        for (button, count) in [("dialog button", 1), ("dialog .primary", 0)] {
            try browser.wait(for: "document.querySelector('[data-name=empty-trash]')")
            try browser.click("[data-name=empty-trash]")
            try browser.click(button)
            try browser.wait(for: "!document.querySelector('dialog') && \(Self.cells).length === \(count)")
            #expect(try program.get("/api/v1/library/trash").json["count"] as? Int == count)
        }
    }

    @Test("An album is created from a selection, opened, renamed and removed, and its pictures stay")
    func albums() throws {
        let (program, ids) = try Self.startLibrary(2)
        let browser = try Self.open(program, "pictures")
        try browser.wait(for: "\(Self.cells).length === 2")
        try browser.run("document.querySelector('.head button').click()")
        try browser.click(".cell[data-id]")
        try browser.wait(for: "document.querySelector('[data-name=add-to-album]')")
        try browser.click("[data-name=add-to-album]")
        try browser.wait(for: "document.querySelector('[data-name=new-album]')")
        try browser.click("[data-name=new-album]")
        try browser.wait(for: "document.activeElement.dataset.name === 'album-title'")
        try browser.type("Summer" + Self.enter)
        try browser.wait(for: "document.querySelector('.message')?.textContent.includes('Summer')")
        try browser.run("location.hash = 'pictures/albums'")
        try browser.wait(for: "document.querySelector('.album img')?.naturalWidth > 0")
        try Self.inspect(browser, "albums", .desktop)
        let sheet = try browser.run("return document.querySelector('.album [data-name=sheet]').href") as? String
        let path = try #require(sheet.flatMap { URL(string: $0)?.path })
        #expect(try program.get(path).body.starts(with: [0xFF, 0xD8]), "\(path)")
        try browser.click(".album a")
        try browser.wait(
            for: "\(Self.cells).length === 1 && document.querySelector('.chip').innerText === 'Album Summer'")
        #expect(try browser.run("return document.querySelector('.cell[data-id]').dataset.id") as? String == ids[0])
        try browser.run("history.back()")
        try browser.wait(for: "document.querySelector('[data-name=rename]')")
        try browser.click("[data-name=rename]")
        try browser.wait(for: "document.activeElement.dataset.name === 'album-title'")
        try browser.type("Winter" + Self.enter)
        try browser.wait(for: "document.querySelector('.album .title')?.textContent === 'Winter'")
        try browser.click("[data-name=remove-album]")
        try browser.click("dialog .primary")
        try browser.wait(for: "!document.querySelector('.album')")
        #expect((try program.get("/api/v1/library/items").json["items"] as? [Any])?.count == 2)
        #expect(try browser.complaints() == [])
    }

    // --- Sessions

    @Test("A session is completed with the keyboard alone")
    func session() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "session/two")
        try browser.wait(for: Self.hasPicture)
        func press(_ key: String, after expression: String) throws {
            try browser.wait(for: expression)
            try browser.type(key)
        }
        try browser.record(
            "countdown",
            when:
                "document.querySelector('.countdown:not([hidden])') && document.querySelector('.prompt').textContent === 'Look here'"
        )
        try press(" ", after: "document.querySelector('[data-action=start]')")
        try press(" ", after: "document.querySelector('.primary')?.textContent === 'Begin'")
        try press(" ", after: "document.querySelector('.scene')?.textContent.includes('Welcome')")
        try press(" ", after: "document.querySelector('.scene')?.textContent.includes('Smile')")
        try browser.awaitRecord("countdown")
        try press(
            "s",
            after:
                "document.querySelector('[aria-current=step]')?.textContent === 'Two' && document.querySelector('[data-action=skip]')"
        )
        try browser.wait(
            for:
                "document.querySelectorAll('.review img').length === 1 && document.querySelector('.review img').naturalWidth > 0"
        )
        // A single picture is retaken, and then all are accepted.
        try browser.click(".review button")
        try press(" ", after: "document.querySelector('.review img')?.src.endsWith('/2')")
        try browser.wait(for: "document.querySelector('[data-action=start]')")
        let runs = try program.get("/api/v1/sessions/two/runs").json["runs"] as? [[String: Any]]
        #expect(runs?.first?["state"] as? String == "accepted")
        #expect(try browser.complaints() == [])
    }

    @Test("A response that comes after a newer state does not take the place of that state")
    func lateResponse() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "session/two")
        try browser.wait(for: "document.querySelector('[data-action=start]')")
        try browser.run(
            """
            const send = window.fetch
            window.fetch = async (address, options) => {
              const response = await send(address, options)
              if (!String(address).includes('/start')) return response
              const late = new Response(await response.text(), response)
              await new Promise((resolve) => { window.release = resolve })
              return late
            }
            """)
        try browser.click("[data-action=start]")
        try browser.wait(for: "document.querySelector('[data-action=capture]')")
        try browser.run(
            """
            const look = () => { window.isLost ||= !document.querySelector('[data-action=capture]') }
            new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
            """)
        _ = try browser.runAsync(
            """
            const done = arguments[arguments.length - 1]
            window.release()
            requestAnimationFrame(() => requestAnimationFrame(() => done()))
            """)
        #expect(try browser.run("return window.isLost") as? Bool != true)
    }

    @Test("A session can be discarded only after a confirmation")
    func discard() throws {
        let program = try Self.start()
        let browser = try Self.open(program, "session/two", .phone)
        try browser.wait(for: Self.hasPicture)
        for expression in ["[data-action=start]", "[data-action=capture]", "[data-action=skip]"] {
            try browser.wait(for: "document.querySelector('\(expression)')")
            try browser.click(expression)
        }
        try browser.wait(
            for:
                "document.querySelector('[aria-current=step]')?.textContent === 'Two' && document.querySelector('[data-action=skip]')"
        )
        try browser.click("[data-action=skip]")
        try browser.wait(for: "document.querySelector('[data-action=discard]')")
        try browser.click("[data-action=discard]")
        try browser.click("dialog button")
        #expect(try browser.run("return document.querySelectorAll('.review img').length") as? Int == 1)
        try browser.click("[data-action=discard]")
        try browser.click("dialog .primary")
        try browser.wait(for: "document.querySelector('[data-action=start]')")
        let runs = try program.get("/api/v1/sessions/two/runs").json["runs"] as? [[String: Any]]
        #expect(runs?.isEmpty == true)
    }

    @Test("A session gets a picture of the library, and one that the user takes in the dialog")
    func choose() throws {
        let (program, _) = try Self.startLibrary(1)
        let browser = try Self.open(program, "session/two")
        func click(_ selector: String, when expression: String? = nil) throws {
            try browser.wait(for: expression ?? "document.querySelector('\(selector)')")
            try browser.click(selector)
        }
        try click("[data-action=library]")
        try click(".primary", when: "document.querySelector('.primary')?.textContent === 'Begin'")
        for page in ["Welcome", "Smile"] {
            try click(".primary", when: "document.querySelector('.scene')?.textContent.includes('\(page)')")
        }
        // The picture can be left out.
        try click("[data-action=bring]")
        try click("[data-name=choose-cancel]")
        try browser.wait(for: "!document.querySelector('dialog')")
        try click("[data-action=bring]")
        try browser.wait(for: "document.querySelector('.choose .cell[data-id] img')?.naturalWidth > 0")
        // Without a press of its button, no camera is opened.
        #expect(try browser.run("return document.querySelector('.preview')") == nil)
        try browser.click(".choose .cell[data-id]")
        try browser.wait(for: "document.querySelector('[aria-current=step]')?.textContent === 'Two'")
        try click("[data-action=bring]")
        try click("[data-name=choose-camera]")
        try browser.wait(for: "document.querySelector('.choose .live')?.naturalWidth > 0")
        let isWhole = """
            const [button, body] = ['[data-name=choose-snap]', '.choose-body'].map((name) => document.querySelector(name).getBoundingClientRect())
            return button.bottom <= body.bottom
            """
        #expect(try browser.run(isWhole) as? Bool == true)
        try browser.click("[data-name=choose-snap]")
        try browser.wait(
            for: "document.querySelectorAll('.review img').length === 2 && !document.querySelector('.choose')")
        #expect(try browser.complaints() == [])
        // German words are longer, and two pictures are beside each other.
        let phone = Browser.Device.phone.with("de", isDark: false)
        let other = try Self.open(program, "session/two", phone)
        try other.wait(for: "document.querySelectorAll('.review img').length === 2")
        try Self.inspect(other, "review", phone)
    }

    // --- Access and faults

    @Test("The page tells a browser without a token how to pair, and functions that a role may not use are absent")
    func roles() async throws {
        let program = try Self.start()
        let token = try await ServedProgram.token("screen", "view", in: program.folder)
        let events = try EventClient(program)
        program.hangUp()
        // The service may close the connection, which has no token.
        while let event = events.next(), event.name != "reloaded" {}
        #expect(try program.get("/api/v1/status").status == 401)
        let browser = try Browser.open(.phone)
        try browser.open(program.address)
        try browser.wait(for: "document.body.textContent.includes('serve pair')")
        try browser.command(
            "Network.setCookie",
            [
                "name": "gst-capture-\(program.port)", "value": String(token.split(separator: " ").last ?? ""),
                "domain": "127.0.0.1",
                "path": "/", "httpOnly": true, "sameSite": "Strict",
            ])
        try browser.reload()
        try browser.wait(for: Self.hasPicture)
        #expect(try browser.run("return document.querySelector('.shutter')") == nil)
        #expect(
            try browser.run("return document.querySelectorAll('.shutter-row button:not([hidden])').length") as? Int ?? 9
                <= 1)
        // When the token is removed, the page explains again.
        let line = [ServedProgram.program.path, "token", "remove", "screen", "--state", program.folder.path + "/state"]
        #expect(try await ServedProgram.run(line, in: program.folder).status == 0)
        try browser.wait(for: "document.body.textContent.includes('serve pair')")
    }

    @Test("The menu changes the language, also of the messages of the service")
    func languages() throws {
        let program = try ServedProgram("  gone: { camera: usb-0000:99:99.9-9 }\n")
        let browser = try Self.open(program, "live/gone", .phone)
        try browser.wait(for: "document.querySelector('.over.fault').textContent.includes('no camera is connected')")
        try browser.click("[popovertarget=menu]")
        try browser.run(
            "const choice = document.querySelector('#menu select'); choice.value = 'de'; choice.dispatchEvent(new Event('change'))"
        )
        try browser.wait(
            for: "document.querySelector('.over.fault').textContent.includes('keine Kamera ist angeschlossen')")
        let banner = try browser.run("return document.querySelector('.banner').textContent") as? String ?? ""
        #expect(banner.hasPrefix("gone: seit ") && banner.hasSuffix("scene ist immer verfügbar"), "\(banner)")
        #expect(
            try browser.run("return document.querySelector('.tabs').textContent") as? String == "LiveBilderSitzungen")
    }

    @Test("A camera without controls has no tool for them, and the live picture takes the room")
    func room() throws {
        let program = try Self.start()
        for device in [Browser.Device.phone, .desktop] {
            let browser = try Self.open(program, "live/garden", device)
            try browser.wait(for: Self.hasPicture)
            try browser.wait(for: "document.querySelectorAll('.tool').length === 7")
            #expect(try browser.run("return !document.querySelector('.tool[data-name=controls]')") as? Bool == true)
            // The picture touches two sides of its stage, and nothing scrolls.
            let fits = """
                const [stage, picture] = ['.stage', '.stage .preview'].map(name => document.querySelector(name).getBoundingClientRect())
                const gaps = [stage.width - picture.width, stage.height - picture.height].map(Math.abs)
                return Math.min(...gaps) < 2 && document.documentElement.scrollHeight <= innerHeight
                """
            #expect(try browser.run(fits) as? Bool == true, "\(device)")
        }
    }

    @Test("The page says for how long it has no connection, and resumes by itself when the service is back")
    func reconnect() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let address = "127.0.0.1:\(try FreePort.number())"
        let first = try Self.start(in: folder, listen: address)
        let browser = try Self.open(first, "live/garden")
        try browser.wait(for: Self.hasPicture)
        await first.kill()
        try browser.wait(for: "document.querySelector('.banner:not([hidden])')?.textContent.includes('No connection')")
        let second = try Self.start(in: folder, listen: address)
        try browser.wait(for: "document.querySelector('.banner').hidden")
        try browser.click(".shutter")
        try browser.wait(for: "document.querySelector('.last-picture img')?.naturalWidth > 0")
        #expect(await second.stop() == 0)
    }

    // --- All views

    private static let liveViews = ["live/garden", "session/two"]
    private static let views = liveViews + ["pictures", "pictures/albums", "pictures/trash", "sessions"]
    /// The tablet has German words, which are longer.
    static let devices =
        [Browser.Device.phone, .desktop].flatMap { [$0, $0.with("de", isDark: true)] } + [
            .tablet.with("de", isDark: false)
        ]

    @Test(
        "Every view fits its screen, has no error in the console, and no violation of WCAG 2.2 AA", arguments: devices)
    func everyView(device: Browser.Device) throws {
        let program = try Self.start()
        #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201)
        let browser = try Browser.open(device)
        for view in Self.views {
            try browser.open("\(program.address)/?\(view.count)#\(view)")
            try browser.wait(
                for:
                    "document.querySelector('.tabs a[aria-current]') && !document.querySelector('main .quiet')?.textContent.includes('…')"
            )
            if Self.liveViews.contains(view) { try browser.wait(for: Self.hasPicture) }
            try Self.inspect(browser, view, device)
        }
    }

    @Test("Lists scroll above the tabs, which cover no part of a button", arguments: [Browser.Device.phone, .tablet])
    func lists(device: Browser.Device) throws {
        let program = try Self.start()
        for view in ["sessions", "session/two", "pictures/albums"] {
            let browser = try Self.open(program, view, device)
            try browser.wait(for: "document.querySelector('.sessions-view, .session-view, .albums-view')")
            let isAbove = """
                const main = document.querySelector('main')
                main.firstChild.style.paddingBottom = '3000px'
                const tabs = document.querySelector('.tabs').getBoundingClientRect()
                return main.scrollHeight > 3000 && main.getBoundingClientRect().bottom <= tabs.top + 1
                """
            #expect(try browser.run(isAbove) as? Bool == true, "\(view)")
        }
    }

    @Test("The words of a session cover no edge of its picture", arguments: [Browser.Device.phone, .tablet, .desktop])
    func words(device: Browser.Device) throws {
        let program = try Self.start()
        let browser = try Self.open(program, "session/two", device)
        try browser.wait(for: Self.hasPicture)
        let isAbove = """
            const box = (name) => document.querySelector(name).getBoundingClientRect()
            const [words, picture] = [box('.prompt'), box('.preview .live')]
            return words.height > 0 && words.top >= 0 && words.bottom <= picture.top
            """
        #expect(try browser.run(isAbove) as? Bool == true)
    }

    /// Checks that a view fits its screen, has no error in the console, and no violation of WCAG 2.2 AA. Keeps a picture
    /// of it.
    static func inspect(
        _ browser: Browser, _ view: String, _ device: Browser.Device,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let fits = try browser.run("return document.documentElement.scrollWidth <= innerWidth") as? Bool
        #expect(fits == true, "\(view)", sourceLocation: sourceLocation)
        #expect(try browser.run(cutControls) as? [String] == [], "\(view)", sourceLocation: sourceLocation)
        let language = try browser.run("return document.documentElement.lang") as? String
        #expect(language == device.language, sourceLocation: sourceLocation)
        try save(try browser.screenshot(), view, device)
        let axe = try? String(contentsOfFile: axe, encoding: .utf8)
        let violations = try axe.map { try self.violations(browser, $0) } ?? []
        #expect(violations == [], "\(view)", sourceLocation: sourceLocation)
        let complaints = try browser.complaints()
        #expect(complaints == [], "\(view)", sourceLocation: sourceLocation)
    }

    /// Returns the controls that lie outside of an element that cuts its content off.
    private static let cutControls = """
        const isCut = (one) => {
          const box = one.getBoundingClientRect()
          for (let parent = one.parentElement; parent && box.width; parent = parent.parentElement) {
            if (getComputedStyle(parent).overflowX === 'visible') continue
            const room = parent.getBoundingClientRect()
            if (box.left < room.left - 1 || box.right > room.right + 1) return true
          }
          return false
        }
        return [...document.querySelectorAll('button, a, select, input')].filter(isCut).map((one) => one.outerHTML.slice(0, 200))
        """

    /// The file of axe-core, which `make build-tests` fetches if the network has it.
    private static var axe: String {
        ProcessInfo.processInfo.environment["AXE_CORE"] ?? ".build-test/axe.min.js"
    }

    private static func violations(_ browser: Browser, _ axe: String) throws -> [String] {
        try browser.run(axe)
        let script = """
            const done = arguments[arguments.length - 1]
            axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
              .then(result => done(result.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html).join(' ').slice(0, 400))))
              .catch(error => done([String(error)]))
            """
        return try browser.runAsync(script) as? [String] ?? ["no result"]
    }

    /// The folder for pictures of the page; `nil` to keep none.
    static var screenshots: String? { ProcessInfo.processInfo.environment["PAGE_SCREENSHOTS"] }

    /// Keeps a picture of the page, if `PAGE_SCREENSHOTS` names a folder.
    static func save(_ picture: Data, _ view: String, _ device: Browser.Device) throws {
        guard let folder = screenshots else { return }
        let name =
            "\(view.replacing("/", with: "-"))-\(device.width)-\(device.isDark ? "dark" : "light")-\(device.language).png"
        try picture.write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
    }
}

/// The files of the page.
@Suite("The files of the web page", .ownThread)
struct PageFileTests {
    @Test("A theme and a logo of the configuration change the page and the outlines")
    func theme() async throws {
        let folder = try ServedProgram.makeFolder()
        let theme = folder.appendingPathComponent("theme.css")
        let logo = folder.appendingPathComponent("logo.svg")
        try Data(":root { --accent: #123456; --outline: #00ff00; }\n".utf8).write(to: theme)
        try Data("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"/>\n".utf8).write(to: logo)
        let head = "page: { theme: FOLDER/theme.css, logo: FOLDER/logo.svg }\n"
        let program = try ServedProgram("  garden: { camera: scene }\n", in: folder, head: head)
        let page = try program.get("/").text
        let root = "/" + (try #require(page.firstMatch(of: #/page\/[0-9a-f]{16}\//#)?.output))
        #expect(page.contains("\(root.dropFirst())own.css"))
        let style = try program.get("\(root)own.css").text
        #expect(style.contains("--accent: #123456") && style.contains("--logo:url(\"own-logo.svg\")"))
        #expect(try program.get("\(root)own-logo.svg").head.contains("image/svg+xml"))
        let drawing = folder.appendingPathComponent("face.png")
        try program.get("/api/v1/outlines/face/render?width=320&height=240&ground=none").body.write(to: drawing)
        let script = """
            import subprocess, sys
            pixels = subprocess.run(['gst-launch-1.0', '-q', 'filesrc', 'location=' + sys.argv[1], '!',
                'pngdec', '!', 'videoconvert', '!', 'video/x-raw,format=RGB', '!', 'fdsink'], capture_output=True).stdout
            print(any(pixels[i] < 40 and pixels[i + 1] > 220 and pixels[i + 2] < 40 for i in range(0, len(pixels) - 2, 3)))
            """
        let result = try await ServedProgram.run(["/usr/bin/python3", "-c", script, drawing.path], in: folder)
        #expect(result.output == "True", "\(result.error)")
        #expect(await program.stop() == 0)
        // Mistakes are reported at the start.
        for (text, message) in [
            ("--outline: dotted", "is not a color"), (String(repeating: "a", count: 300_000), "is larger"),
        ] {
            try Data("\(text);".utf8).write(to: theme)
            let line = [ServedProgram.program.path, folder.path + "/serve.yaml", "--listen", "127.0.0.1:0"]
            let failed = try await ServedProgram.run(line, in: folder)
            #expect(failed.status == 78 && failed.error.contains(message), "\(failed.error)")
        }
    }

    @Test("Without a configuration, the service stores pictures in its state folder, and offers the shipped sessions")
    func standard() async throws {
        let program = try ServedProgram(nil)
        let sessions = try program.get("/api/v1/sessions").json["sessions"] as? [[String: Any]]
        #expect(sessions?.contains { $0["id"] as? String == "avatar" } == true)
        var isFolder: ObjCBool = false
        let pictures = program.folder.path + "/state/pictures/camera"
        #expect(FileManager.default.fileExists(atPath: pictures, isDirectory: &isFolder) && isFolder.boolValue)
        #expect(try program.get("/api/v1/stills").status == 200)
        #expect(await program.stop() == 0)
    }
}
#endif
