// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import ProgramTestSupport
import Testing

@testable import CaptureKit
@testable import FrameMeasures
@testable import gst_capture

@Suite("Service mode", .timeLimit(.minutes(5)))
struct ServiceTests {
    private static let series = [
        "timelapse", "--camera", "scene", "--width", "160", "--interval", "1h", "-o", "%n.jpg",
    ]

    /// A path or an abstract name for the manager's socket.
    private static func socketName(_ isAbstract: Bool, _ command: borrowing Command) -> String {
        isAbstract ? "@gst-capture-\(UUID())" : command.folder.appendingPathComponent("notify").path
    }

    private func start(
        _ command: borrowing Command, _ socket: NotifySocket, _ variables: [String: String] = [:]
    ) throws -> RunningCommand {
        let environment = variables.merging(["NOTIFY_SOCKET": socket.name]) { $1 }
        return try RunningCommand(Self.series, in: command.folder, environment: environment)
    }

    @Test("The service manager receives readiness, status and the end", arguments: [false, true])
    func life(isAbstract: Bool) async throws {
        let command = try Command()
        let socket = try NotifySocket(Self.socketName(isAbstract, command))
        let process = try start(command, socket)
        #expect(await socket.line("READY=1") != nil)
        // A slow machine first reports the picture without the free space.
        let line = await socket.lines.first { $0.hasPrefix("STATUS=1 picture; next ") && $0.hasSuffix(" free") }
        let status = try #require(line)
        // The time and the free space vary; after 23:00 the next hour is on another day.
        #expect(status.contains(/next (\d+-\d\d-\d\d )?\d\d:\d\d:\d\d; .* free$/), "\(status)")
        process.send(SIGTERM)
        #expect(await socket.line("STOPPING=1") != nil)
        #expect(await process.outcome().status == 0)
        #expect(socket.received.filter { ["READY=1", "STOPPING=1"].contains($0) } == ["READY=1", "STOPPING=1"])
        #expect(!socket.received.contains("WATCHDOG=1"))
    }

    @Test("A reload with valid or invalid settings is reported to the service manager", arguments: ["320", "["])
    func reload(width: String) async throws {
        let command = try Command()
        let socket = try NotifySocket(Self.socketName(true, command))
        try command.write("height: 120\n", to: "mine.yaml")
        let process = try start(command, socket, ["GST_CAPTURE_PRESET": "./mine.yaml"])
        #expect(await socket.line("READY=1") != nil)
        try command.write("height: \(width)\n", to: "mine.yaml")
        process.send(SIGHUP)
        #expect(await socket.line("RELOADING=1") != nil)
        #expect(await socket.line("MONOTONIC_USEC=") != nil)
        #expect(await socket.line("READY=1") != nil)
        process.finish()
        #expect(await process.outcome().status == 0)
    }

    @Test("Watchdog messages are sent while frames arrive")
    func watchdog() async throws {
        let command = try Command()
        let socket = try NotifySocket(Self.socketName(true, command))
        let process = try start(command, socket, ["WATCHDOG_USEC": "400000"])
        for _ in 0..<3 { #expect(await socket.line("WATCHDOG=1") != nil) }
        process.finish()
        #expect(await process.outcome().status == 0)
    }

    @Test("A process without frames sends no watchdog message until frames arrive again")
    func silence() async throws {
        let command = try Command()
        let socket = try NotifySocket(Self.socketName(true, command))
        let camera = try DatagramCamera()
        let process = try RunningCommand(
            [
                "timelapse", "--source",
                "udpsrc address=127.0.0.1 port=\(camera.port) ! rawvideoparse width=16 height=16 format=i420",
                "--interval", "1h", "-o", "%n.jpg", "--json",
            ], in: command.folder, environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "200000"])
        func count() -> Int { socket.received.count { $0 == "WATCHDOG=1" } }
        while !socket.received.contains("READY=1") { try await camera.giveFrame() }
        var last = count()
        while count() == last { try await camera.giveFrame() }
        // The last frames may still be on their way. Ten messages are due in a second, so that a second without any shows
        // that none is sent. With messages in each second, the test reaches its time limit.
        repeat {
            last = count()
            try await Task.sleep(for: .seconds(1))
        } while count() > last
        while count() == last { try await camera.giveFrame() }
        process.send(SIGTERM)
        _ = await process.outcome()
    }

    @Test("A service manager that does not read causes no delay, and later gets the latest change")
    func stalledManager() async throws {
        let command = try Command()
        let name = command.folder.path + "/notify"
        let socket = try UnreadSocket(name)
        let manager = try #require(ServiceManager { $0 == "NOTIFY_SOCKET" ? name : nil })
        await manager.send([.ready])
        for _ in 0..<100 { await manager.send([.watchdog]) }
        socket.drain()
        await manager.send([.watchdog])
        #expect(socket.receive() == "READY=1\nWATCHDOG=1")
        await manager.send([.watchdog])
        #expect(socket.receive() == "WATCHDOG=1")
    }

    @Test("A watchdog for another process is ignored")
    func otherProcess() {
        func manager(_ variables: [String: String]) -> ServiceManager? { ServiceManager { variables[$0] } }
        let socket = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1000000"]
        #expect(manager(socket)?.watchdogTime == .seconds(1))
        #expect(manager(socket.merging(["WATCHDOG_PID": "1"]) { $1 })?.watchdogTime == nil)
        #expect(manager(socket.merging(["WATCHDOG_PID": "\(getpid())"]) { $1 })?.watchdogTime == .seconds(1))
        #expect(manager(["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "-1"])?.watchdogTime == nil)
        #expect(manager(["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "9999999999999999999"])?.watchdogTime == nil)
    }

    @Test(
        "An invalid socket name is ignored",
        arguments: ["", "@", "/", "notify", "/" + String(repeating: "a", count: 200)])
    func hostileName(name: String) {
        #expect(ServiceManager { $0 == "NOTIFY_SOCKET" ? name : nil } == nil)
    }
}

@Suite("State of the service")
struct ServiceStateTests {
    private let start = ClockTime(nanoseconds: 1_000_000_000_000)
    private let noon = WallTime(seconds: 12 * 3600, nanoseconds: 0, utcOffset: 0)
    private static let settled = CaptureEvent.settled(
        SettleReport(outcome: .off, duration: .zero, frames: 1, brightness: nil))

    private func status(_ state: ServiceState) -> String {
        state.status(at: start, wall: noon)
    }

    @Test("Readiness is reported once, and again after a reload")
    func ready() {
        var state = ServiceState(.every(.seconds(10)))
        #expect(state.apply(.stalled(.seconds(3))) == [])
        #expect(state.reload(at: start) == [])
        #expect(state.apply(Self.settled) == [.ready])
        #expect(state.apply(Self.settled) == [])
        #expect(state.reload(at: start) == [.reloading(start)])
        #expect(state.apply(Self.settled) == [.ready])
        #expect(state.keepSettings() == [])
        #expect(state.stop() == [.stopping])
        #expect(state.stop() == [] && state.apply(Self.settled) == [])
    }

    @Test("A stalled service sends no watchdog message, and a starting one extends its timeout")
    func signs() {
        var state = ServiceState(.every(.seconds(10)))
        let time = Duration.seconds(60)
        #expect(state.signOfLife(true, watchdogTime: time) == [.extendTimeout(time), .watchdog])
        #expect(state.signOfLife(false, watchdogTime: time) == [])
        _ = state.apply(Self.settled)
        #expect(state.signOfLife(true, watchdogTime: time) == [.watchdog])
        #expect(state.signOfLife(false, watchdogTime: time) == [])
        _ = state.stop()
        #expect(state.signOfLife(false, watchdogTime: time) == [.watchdog])
    }

    @Test("The status line has the counts, and a problem while it lasts")
    func line() {
        var state = ServiceState(.every(.seconds(10)))
        #expect(status(state) == "0 pictures; opening the camera")
        _ = state.apply(Self.settled)
        _ = state.apply(.missed(SlotRun(Slot(index: 0, due: start)), .noFrame))
        #expect(status(state).hasPrefix("0 pictures, 1 missed; next "))
        _ = state.apply(.lost(CaptureError(.noCamera, "is gone", subject: "/dev/video0")))
        #expect(status(state) == "0 pictures, 1 missed; /dev/video0: is gone")
        _ = state.apply(.recovered(after: .seconds(4)))
        #expect(status(state).hasPrefix("0 pictures, 1 missed; next "))
    }

    @Test("A status text with line breaks is one message")
    func hostileStatus() {
        #expect(ServiceMessage.status("a\nREADY=1\r\u{0}b").text == "STATUS=a READY=1  b")
    }
}

/// The socket of a manager that does not read. Its queue is full.
private struct UnreadSocket: ~Copyable {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    /// Listens on a path, and fills the queue.
    init(_ name: String) throws {
        let descriptor = descriptor
        guard NotifySocket.withAddress(name, { bind(descriptor, $0, $1) }) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        while Self.isSent(to: name) {}
    }

    deinit { close(descriptor) }

    /// Receives a datagram; `nil` if there is none.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Receives all datagrams.
    func drain() { while receive() != nil {} }

    /// Sends a datagram. Each has a separate sender, because the datagrams of one sender that wait are limited, too.
    private static func isSent(to name: String) -> Bool {
        let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        return NotifySocket.withAddress(name) { sendto(sender, "x", 1, Int32(MSG_DONTWAIT), $0, $1) } == 1
    }
}

/// A camera whose frames are datagrams, one each, of 16x16 pixels in I420.
private struct DatagramCamera: ~Copyable {
    /// The port to which the frames are sent.
    let port: UInt16

    private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    private var address = sockaddr_in()

    /// Chooses a free port.
    init() throws {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let place = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(place) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(place, $0, length) == 0 ? getsockname(place, $0, &length) : -1
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { close(descriptor) }

    /// Sends a frame, shortly after the previous one.
    func giveFrame() async throws {
        let frame = [UInt8](repeating: 128, count: 16 * 16 * 3 / 2)
        var address = address
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, frame, frame.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
