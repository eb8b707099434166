// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport

/// A display without a screen (Xvfb), with simulated input and screenshots.
final class Display: Sendable {
    /// The value for `DISPLAY`.
    let name: String

    /// `nil` if another process owns the server.
    private let server: ChildProgram?

    /// The display of another process.
    init(name: String) { (self.name, server) = (name, nil) }

    /// Starts a server, which prints its number when it is ready.
    init(width: Int = 1280, height: Int = 800) throws {
        let output = Pipe()
        let line = ["Xvfb", "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp"]
        server = try ChildProgram(line, output: .pipe(output), error: .null)
        let number = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        name = ":" + number.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { end() }

    /// Ends the server while its windows are open.
    func end() { server?.send(SIGKILL) }

    /// Waits for the window of the preview; returns it.
    func window() throws -> String { try window("--name", "gst-capture") }

    /// Waits for a window by an option of xdotool; returns it.
    fileprivate func window(_ option: String, _ value: String) throws -> String {
        let found = try run("xdotool", "search", "--sync", "--onlyvisible", option, value)
        return String(decoding: found, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
    }

    /// Presses keys by their X names.
    func press(_ keys: String..., in window: String) throws {
        _ = try run("xdotool", "key", "--window", window, keys.joined(separator: " "))
    }

    /// Clicks at a place of a window, in parts of its width and height.
    func click(_ x: Double, _ y: Double, in window: String) throws {
        let picture = try picture(of: window)
        let place = [Int(x * Double(picture.width)), Int(y * Double(picture.height))].map(String.init)
        _ = try run("xdotool", "mousemove", "--window", window, place[0], place[1], "click", "1")
    }

    /// Unmaps a window and maps it again: its content is lost until the program draws it again.
    func expose(_ window: String) throws {
        _ = try run("xdotool", "windowunmap", "--sync", window)
        _ = try run("xdotool", "windowmap", "--sync", window)
    }

    /// Destroys a window, as a window manager does to one that does not respond.
    func destroy(_ window: String) throws { _ = try run("xdotool", "windowclose", window) }

    /// Asks a window to close, as its button does.
    func close(_ window: String) throws { try CloseRequest.send(to: window, on: name) }

    /// The current content of a window.
    func picture(of window: String) throws -> ScreenPicture {
        try ScreenPicture(dump: run("xwd", "-silent", "-id", window))
    }

    /// Polls the screen, since there is no event for a frame on it.
    func awaitPicture(of window: String, _ condition: (ScreenPicture) -> Bool) async throws {
        while !condition(try picture(of: window)) {
            try Task.checkCancellation()
            // Nothing here suspends, and other tests need the thread.
            await Task.yield()
        }
    }

    private func run(_ program: String, _ arguments: String...) throws -> Data {
        let output = Pipe()
        let process = try ChildProgram(
            [program] + arguments, environment: ["DISPLAY": name, "PATH": "/usr/bin"], output: .pipe(output),
            error: .null)
        defer { process.wait() }
        return try output.fileHandleForReading.readToEnd() ?? Data()
    }
}

/// A desktop on which the command opens its window.
enum Desktop: String, CaseIterable {
    case x11, wayland
}

/// A desktop in a display without a screen.
final class RunningDesktop: Sendable {
    let display: Display
    /// The variables by which a program finds the desktop.
    let environment: [String: String]

    private let compositor: ChildProgram?

    /// Starts the desktop. On Wayland (Weston's shell for kiosks), the program's window fills the screen, which is a window
    /// of the display.
    ///
    /// - Parameter folder: An existing folder for Wayland's socket.
    init(_ desktop: Desktop, in folder: URL, width: Int, height: Int) throws {
        let display = try Display()
        self.display = display
        guard desktop == .wayland else {
            (environment, compositor) = (["DISPLAY": display.name], nil)
            return
        }
        let line = [
            "weston", "--backend=x11-backend.so", "--use-pixman", "--shell=kiosk-shell.so", "--no-config",
            "--idle-time=0", "--width=\(width)", "--height=\(height)", "--socket=desktop",
        ]
        let folders = ["XDG_RUNTIME_DIR": folder.path]
        compositor = try ChildProgram(
            line, environment: folders.merging(["DISPLAY": display.name, "PATH": "/usr/bin"]) { $1 }, output: .null,
            error: .null)
        environment = folders.merging(["WAYLAND_DISPLAY": "desktop", "DISPLAY": ""]) { $1 }
        // Weston opens its window after its socket.
        _ = try window()
    }

    deinit { compositor?.send(SIGKILL) }

    /// Waits for the window of the preview, or on Wayland the screen; returns it.
    func window() throws -> String {
        compositor == nil ? try display.window() : try display.window("--class", "weston")
    }
}

/// A picture of a window, as xwd(1) writes it.
struct ScreenPicture {
    let width: Int
    let height: Int
    private let pixels: Data
    private let stride: Int

    /// Reads a dump of 32 bits a pixel, blue first.
    init(dump: Data) throws {
        func field(_ index: Int) -> Int {
            dump.count < index * 4 + 4 ? 0 : dump[(index * 4)..<(index * 4 + 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        (width, height, stride) = (field(4), field(5), field(12))
        guard field(11) == 32, stride >= width * 4 else { throw NoPicture() }
        pixels = dump.dropFirst(field(0) + field(19) * 12)
        guard pixels.count >= stride * height else { throw NoPicture() }
    }

    /// The red, green and blue at a place, in fractions of width and height.
    func color(_ x: Double, _ y: Double) -> [Int] {
        let (column, row) = (Int(x * Double(width - 1)), Int(y * Double(height - 1)))
        let start = pixels.startIndex + row * stride + column * 4
        return [2, 1, 0].map { Int(pixels[start + $0]) }
    }

    /// The center of the pixels that are close to a color, below a height, in fractions; `nil` if there are few.
    func center(of color: [Int], below top: Double, tolerance: Int = 40) -> (x: Double, y: Double)? {
        var (columns, rows, count) = (0, 0, 0)
        for row in Int(top * Double(height))..<height {
            for column in 0..<width {
                let seen = self.color(Double(column) / Double(width - 1), Double(row) / Double(height - 1))
                guard zip(seen, color).allSatisfy({ abs($0 - $1) <= tolerance }) else { continue }
                (columns, rows, count) = (columns + column, rows + row, count + 1)
            }
        }
        guard count > 400 else { return nil }
        return (Double(columns) / Double(count * width), Double(rows) / Double(count * height))
    }

    /// The number of pixels that are close to a color, within a part in fractions.
    func count(of color: [Int], x: ClosedRange<Double>, y: ClosedRange<Double>, tolerance: Int = 24) -> Int {
        func places(_ range: ClosedRange<Double>, _ length: Int) -> [Double] {
            (0..<length).map { Double($0) / Double(length - 1) }.filter(range.contains)
        }
        let columns = places(x, width)
        return places(y, height).reduce(0) { sum, row in
            sum + columns.count { zip(self.color($0, row), color).allSatisfy { abs($0 - $1) <= tolerance } }
        }
    }

    struct NoPicture: Error {}
}

/// `WM_DELETE_WINDOW`, which no tool sends without a window manager.
private enum CloseRequest {
    static func send(to window: String, on display: String) throws {
        typealias Open = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
        typealias Intern = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CUnsignedLong
        typealias Send =
            @convention(c) (
                OpaquePointer?, CUnsignedLong, CInt, CLong, UnsafeMutableRawPointer?
            ) -> CInt
        typealias Close = @convention(c) (OpaquePointer?) -> CInt
        let library = dlopen("libX11.so.6", RTLD_LAZY)
        func function<Function>(_ name: String) -> Function { unsafeBitCast(dlsym(library, name), to: Function.self) }
        let (open, intern, send, close): (Open, Intern, Send, Close) = (
            function("XOpenDisplay"), function("XInternAtom"), function("XSendEvent"), function("XCloseDisplay")
        )
        guard let connection = open(display), let window = UInt(window) else { throw ScreenPicture.NoPicture() }
        // XClientMessageEvent: type 33, then the window at 32, message type, format, and the first datum.
        var event = [UInt](repeating: 0, count: 24)
        event[0] = 33
        event[4] = window
        event[5] = intern(connection, "WM_PROTOCOLS", 0)
        event[6] = 32
        event[7] = intern(connection, "WM_DELETE_WINDOW", 0)
        _ = send(connection, window, 0, 0, &event)
        _ = close(connection)
    }
}
