// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Synchronization
import Testing

/// Debian's Chromium without a window, controlled by its driver (W3C WebDriver). The tests share it, one after the other:
/// each has a service at another port, so that none sees the storage of another.
final class Browser: Sendable {
    /// The width of the live picture in pixels, which is a single picture or video: an expression of JavaScript.
    static let liveWidth =
        "(shown => shown && (shown.naturalWidth || shown.videoWidth))(document.querySelector('.preview .live[src]'))"

    /// The size of the page in CSS pixels, and the preferences of the user.
    struct Device: Sendable, CustomTestStringConvertible {
        var width: Int
        var height: Int
        var isDark = false
        var language = "en"
        var hasTouch = false

        static let phone = Device(width: 390, height: 844, hasTouch: true)
        static let tablet = Device(width: 768, height: 1024, hasTouch: true)
        static let desktop = Device(width: 1280, height: 800)

        /// Returns the device of a user with other preferences.
        func with(_ language: String, isDark: Bool) -> Device {
            var device = self
            (device.language, device.isDark) = (language, isDark)
            return device
        }

        var testDescription: String { "\(width)x\(height) \(isDark ? "dark" : "light") \(language)" }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let driver: ChildProgram
    private let output = Pipe()
    private let port: UInt16
    private let session: String
    private let folder: URL
    /// The script that empties the storage of each origin once for a device; `nil` before the first device.
    private let emptying = Mutex<String?>(nil)

    /// The reason why the tests of the page cannot run; `nil` if they can.
    static var missing: Comment? {
        let paths = ["/usr/bin/chromium", "/usr/bin/chromedriver"]
        return paths.first { !FileManager.default.isExecutableFile(atPath: $0) }.map { "\($0) is not installed" }
    }

    /// The browser, which ends with the tests.
    private static let shared = Result { try Browser() }
    private static let endsAtExit: Void = {
        atexit {
            guard let browser = try? Browser.shared.get() else { return }
            // The driver alone would leave the browser running.
            _ = try? Browser.exchange(browser.port, "DELETE", "/session/\(browser.session)", nil)
            browser.driver.send(SIGTERM)
            browser.driver.wait()
            try? FileManager.default.removeItem(at: browser.folder)
        }
        return ()
    }()

    /// Returns the browser with an empty page, without cookies and with empty storage, as a device.
    static func open(_ device: Device) throws -> Browser {
        let browser = try shared.get()
        _ = endsAtExit
        try browser.become(device)
        return browser
    }

    private func become(_ device: Device) throws {
        try open("about:blank")
        try command("Network.clearBrowserCookies", [:])
        try emptyStorage()
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": device.width, "height": device.height, "deviceScaleFactor": 1, "mobile": device.hasTouch])
        try command("Emulation.setTouchEmulationEnabled", ["enabled": device.hasTouch])
        try command(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": device.isDark ? "dark" : "light"]]])
        let agent = try run("return navigator.userAgent") as? String ?? ""
        try command("Network.setUserAgentOverride", ["userAgent": agent, "acceptLanguage": device.language])
        _ = try complaints()
    }

    /// Empties the storage of each origin before its first page is loaded: a service can have the port of an earlier one.
    private func emptyStorage() throws {
        let earlier = emptying.withLock { $0 }
        if let earlier { try command("Page.removeScriptToEvaluateOnNewDocument", ["identifier": earlier]) }
        let token = UUID()
        let source = """
            try {
              if (sessionStorage.getItem('emptied') !== '\(token)') {
                localStorage.clear()
                sessionStorage.clear()
                sessionStorage.setItem('emptied', '\(token)')
              }
            } catch {}
            """
        let added = try command("Page.addScriptToEvaluateOnNewDocument", ["source": source]) as? [String: Any]
        emptying.withLock { $0 = added?["identifier"] as? String }
    }

    private init() throws {
        folder = try ServedProgram.makeFolder()
        driver = try ChildProgram(
            ["/usr/bin/chromedriver", "--port=0"], in: folder,
            environment: ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 },
            output: .pipe(output), error: .null)
        port = try Self.port(output.fileHandleForReading)
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--user-data-dir=\(folder.path)/profile", "--autoplay-policy=no-user-gesture-required",
        ]
        let body: [String: Any] = [
            "capabilities": [
                "alwaysMatch": [
                    "browserName": "chrome", "goog:loggingPrefs": ["browser": "ALL"],
                    "goog:chromeOptions": ["binary": "/usr/bin/chromium", "args": arguments] as [String: Any],
                    "timeouts": ["script": 55_000, "pageLoad": 55_000],
                ] as [String: Any]
            ]
        ]
        let value = try Self.exchange(port, "POST", "/session", body) as? [String: Any]
        guard let id = value?["sessionId"] as? String else { throw Failure(description: "no session of the browser") }
        session = id
    }

    /// Opens an address, and waits until the page is loaded.
    func open(_ address: String) throws { try request("POST", "url", ["url": address]) }

    /// Loads the page again.
    func reload() throws { try request("POST", "refresh", [:]) }

    /// Runs a function body in the page. Returns its result.
    @discardableResult
    func run(_ script: String, _ arguments: Any...) throws -> Any? {
        try request("POST", "execute/sync", ["script": script, "args": arguments])
    }

    /// Runs a function body that calls its last argument with the result.
    func runAsync(_ script: String) throws -> Any? {
        try request("POST", "execute/async", ["script": script, "args": [Any]()])
    }

    /// Waits until an expression of the page is true. It is evaluated after each change of the document, event and
    /// response. A test keeps other state, such as a variable of a script, in an attribute.
    func wait(for expression: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let script = """
            const done = arguments[arguments.length - 1]
            const isTrue = () => { try { return Boolean(\(expression)) } catch { return false } }
            if (isTrue()) return done()
            const end = new AbortController()
            const look = () => {
              if (end.signal.aborted || !isTrue()) return
              end.abort()
              changes.disconnect()
              responses.disconnect()
              done()
            }
            const changes = new MutationObserver(look)
            changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
            const responses = new PerformanceObserver(look)
            responses.observe({ type: 'resource' })
            const kinds = ['load', 'error', 'focusin', 'focusout', 'input', 'change', 'close', 'scroll', 'hashchange', 'popstate']
            for (const kind of kinds) addEventListener(kind, look, { capture: true, signal: end.signal })
            """
        let start = ContinuousClock.now
        do {
            while true {
                do {
                    _ = try runAsync(script)
                    return
                } catch  where ContinuousClock.now - start < .seconds(50) {
                    // The page was loaded again meanwhile, which ends its scripts.
                }
            }
        } catch {
            let page = try? run("return document.body.innerText")
            Issue.record("not true: \(expression)\n\(page ?? "")", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Records from now on, at each change of the page, whether an expression is true, for ``awaitRecord(_:)``. A state
    /// that passes quickly could end before a wait begins.
    func record(_ name: String, when expression: String) throws {
        try run(
            """
            const record = document.documentElement.dataset
            const look = () => { try { if (\(expression)) record['\(name)'] ??= 'seen' } catch {} }
            new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
            look()
            """)
    }

    /// Waits until the expression of a record has been true.
    func awaitRecord(_ name: String) throws { try wait(for: "document.documentElement.dataset['\(name)']") }

    /// Clicks the first element of a selector, as a user would: it must be visible, and nothing may cover it.
    func click(_ selector: String) throws { try request("POST", "element/\(try element(selector))/click", [:]) }

    /// Types into the element that has the focus.
    func type(_ text: String) throws {
        let actions = text.flatMap { key in
            [["type": "keyDown", "value": String(key)], ["type": "keyUp", "value": String(key)]]
        }
        try request("POST", "actions", ["actions": [["type": "key", "id": "keys", "actions": actions]]])
    }

    /// Chooses a file in the first element of a selector.
    func give(_ path: String, to selector: String) throws {
        try wait(for: "document.querySelector('\(selector)')")
        try request("POST", "element/\(try element(selector))/value", ["text": path])
    }

    /// Spreads two fingers over the first element of a selector, and turns them.
    func pinch(_ selector: String) throws {
        let origin: [String: Any] = ["element-6066-11e4-a52e-4f735466cecf": try element(selector)]
        func finger(_ name: String, from start: (Int, Int), to end: (Int, Int)) -> [String: Any] {
            func move(_ place: (Int, Int), _ duration: Int) -> [String: Any] {
                ["type": "pointerMove", "origin": origin, "x": place.0, "y": place.1, "duration": duration]
            }
            return [
                "type": "pointer", "id": name, "parameters": ["pointerType": "touch"],
                "actions": [
                    move(start, 0), ["type": "pointerDown", "button": 0], move(end, 100),
                    ["type": "pointerUp", "button": 0],
                ] as [[String: Any]],
            ]
        }
        let actions = [
            finger("one", from: (-20, 0), to: (-60, 20)), finger("two", from: (20, 0), to: (60, -20)),
        ]
        try request("POST", "actions", ["actions": actions])
    }

    /// Keys without a character, as WebDriver names them.
    enum Key { static let right = "\u{E014}" }

    /// Returns the visible text of the first element of a selector.
    func text(_ selector: String) throws -> String {
        try request("GET", "element/\(try element(selector))/text", nil) as? String ?? ""
    }

    /// Returns a picture of the page, as a PNG.
    func screenshot() throws -> Data {
        let text = try request("GET", "screenshot", nil) as? String ?? ""
        return Data(base64Encoded: text) ?? Data()
    }

    /// Returns the errors and warnings that the page has caused since the last call.
    func complaints() throws -> [String] {
        let entries = try request("POST", "se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return entries.filter { ["SEVERE", "WARNING"].contains($0["level"] as? String) }.map {
            "\($0["message"] ?? "")"
        }
    }

    /// Sends a command of the Chrome DevTools Protocol.
    @discardableResult
    func command(_ name: String, _ parameters: [String: Any]) throws -> Any? {
        try request("POST", "goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    private func element(_ selector: String) throws -> String {
        let value = try request("POST", "element", ["using": "css selector", "value": selector]) as? [String: String]
        guard let id = value?.values.first else { throw Failure(description: "no element \(selector)") }
        return id
    }

    @discardableResult
    private func request(_ method: String, _ path: String, _ body: [String: Any]?) throws -> Any? {
        try Self.exchange(port, method, "/session/\(session)/\(path)", body)
    }

    private static func exchange(
        _ port: UInt16, _ method: String, _ path: String, _ body: [String: Any]?
    ) throws -> Any? {
        let content = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let connection = try Connection(port)
        connection.write(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n"
                + String(decoding: content, as: UTF8.self))
        var data = Data()
        while let more = connection.read() {
            data += more
            if isWhole(data) { break }
        }
        guard let end = data.range(of: Data("\r\n\r\n".utf8)) else {
            throw Failure(description: "no response: \(path)")
        }
        let object = try JSONSerialization.jsonObject(with: data[end.upperBound...]) as? [String: Any]
        let value = object?["value"]
        if let error = value as? [String: Any], let name = error["error"] as? String {
            throw Failure(description: "\(path): \(name): \(error["message"] ?? "")")
        }
        return value is NSNull ? nil : value
    }

    /// `true` if a response has all bytes that it announces: the driver keeps its connections open.
    private static func isWhole(_ data: Data) -> Bool {
        guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: data[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        guard let count = length.flatMap({ Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }) else {
            return false
        }
        return data.count - (end.upperBound - data.startIndex) >= count
    }

    private static func port(_ output: FileHandle) throws -> UInt16 {
        var text = ""
        while true {
            let data = output.availableData
            guard !data.isEmpty else { throw Failure(description: "chromedriver has ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            guard let range = text.range(of: "successfully on port ") else { continue }
            let digits = text[range.upperBound...].prefix { $0.isNumber }
            if let port = UInt16(digits) { return port }
        }
    }
}
#endif
