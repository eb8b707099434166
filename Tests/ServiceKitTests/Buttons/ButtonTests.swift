// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import CaptureTestSupport
import Foundation
import Glibc
import Testing

@testable import ServiceKit

@Suite("Buttons of devices", .timeLimit(.minutes(1)))
struct ButtonTests {
    /// Folders of nodes and of the kernel's records. A FIFO takes the place of a node.
    private struct Machine {
        let folder: TemporaryFolder
        var nodes: String { folder.path + "/input" }
        var records: String { folder.path + "/class" }

        init() throws {
            folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: nodes, withIntermediateDirectories: true)
        }

        /// Plugs in a device. Returns the writing end of its node.
        func plug(_ node: String, name: String) throws -> Int32 {
            let record = "\(records)/\(node)/device"
            try FileManager.default.createDirectory(atPath: record, withIntermediateDirectories: true)
            try Data((name + "\n").utf8).write(to: URL(fileURLWithPath: record + "/name"))
            try #require(mkfifo("\(nodes)/\(node)", 0o600) == 0)
            // A FIFO can be opened for writing without a reader only in this way.
            return open("\(nodes)/\(node)", O_RDWR | O_CLOEXEC)
        }

        /// Writes an event as the kernel does.
        func send(_ descriptor: Int32, type: Int32 = EV_KEY, key: Int32, value: Int32 = 1) {
            var event = input_event()
            (event.type, event.code, event.value) = (UInt16(type), UInt16(key), value)
            _ = write(descriptor, &event, MemoryLayout<input_event>.stride)
        }
    }

    private static func button(_ device: String, key: Int32? = nil, camera: String = "a") -> ServiceButton {
        var button = ServiceButton(device: device, key: key.map(Int.init), action: .snap(camera: camera))
        // A FIFO cannot be grabbed.
        button.isGrabbed = false
        return button
    }

    @Test("Keys that cannot be kept from other programs are reported, and used all the same")
    func shared() async throws {
        let machine = try Machine()
        let node = try machine.plug("event3", name: "Buzzer")
        defer { close(node) }
        var button = Self.button("Buzzer")
        button.isGrabbed = true
        let devices = try #require(ButtonDevices([button], nodes: machine.nodes, records: machine.records))
        machine.send(node, key: KEY_ENTER)
        var events = devices.events.makeAsyncIterator()
        guard case .shared(let error) = await events.next() else {
            Issue.record("the failed grab is silent")
            return
        }
        #expect(error.description.contains("Buzzer") && error.description.contains("other programs"))
        #expect(await events.next() == .pressed(button))
    }

    @Test("A press of the button's key is reported once; its release, its repetition and other keys are not")
    func press() async throws {
        let machine = try Machine()
        let node = try machine.plug("event3", name: "Big Red Buzzer")
        defer { close(node) }
        let button = Self.button("big red buzzer", key: KEY_ENTER)
        let devices = try #require(ButtonDevices([button], nodes: machine.nodes, records: machine.records))
        machine.send(node, type: EV_SYN, key: 0, value: 0)
        machine.send(node, key: KEY_A)
        for value in [Int32(1), 2, 2, 0, 1] { machine.send(node, key: KEY_ENTER, value: value) }
        var events = devices.events.makeAsyncIterator()
        for _ in 0..<2 { #expect(await events.next() == .pressed(button)) }
        devices.end()
        #expect(await events.next() == nil)
    }

    @Test("A device that is plugged in later, or is named by its node, is used, too")
    func later() async throws {
        let machine = try Machine()
        let (byName, byPath) = (
            Self.button("Buzzer"), Self.button(machine.nodes + "/event7", key: KEY_SPACE, camera: "b")
        )
        let devices = try #require(ButtonDevices([byName, byPath], nodes: machine.nodes, records: machine.records))
        var events = devices.events.makeAsyncIterator()
        let first = try machine.plug("event1", name: "Buzzer")
        defer { close(first) }
        machine.send(first, key: KEY_F5)
        #expect(await events.next() == .pressed(byName))
        let second = try machine.plug("event7", name: "Other")
        defer { close(second) }
        machine.send(second, key: KEY_SPACE)
        #expect(await events.next() == .pressed(byPath))
    }

    @Test("A device that comes back at another node is used again")
    func replugged() async throws {
        let machine = try Machine()
        let button = Self.button("Buzzer")
        let devices = try #require(ButtonDevices([button], nodes: machine.nodes, records: machine.records))
        var events = devices.events.makeAsyncIterator()
        for node in ["event1", "event2"] {
            let descriptor = try machine.plug(node, name: "Buzzer")
            machine.send(descriptor, key: KEY_ENTER)
            #expect(await events.next() == .pressed(button))
            try FileManager.default.removeItem(atPath: "\(machine.nodes)/\(node)")
            close(descriptor)
        }
    }

    @Test("The folder of input devices can come with the first device")
    func noFolder() async throws {
        let machine = try Machine()
        try FileManager.default.removeItem(atPath: machine.nodes)
        let button = Self.button("Buzzer")
        let devices = try #require(ButtonDevices([button], nodes: machine.nodes, records: machine.records))
        var events = devices.events.makeAsyncIterator()
        try FileManager.default.createDirectory(atPath: machine.nodes, withIntermediateDirectories: true)
        let node = try machine.plug("event0", name: "Buzzer")
        defer { close(node) }
        machine.send(node, key: KEY_ENTER)
        #expect(await events.next() == .pressed(button))
    }

    @Test("Without the folder above it there are no buttons")
    func none() { #expect(ButtonDevices([Self.button("a")], nodes: "/nonexistent/input") == nil) }
}
