// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

/// Serialized: the tests share a provider, which lists other devices while a monitor watches it.
@Suite("Devices and their monitor", .criticalsAreFatal, .serialized, .timeLimit(.minutes(5)))
struct DeviceTests {
    /// Monitors are retained: while one is being released, GStreamer 1.22 loses messages for other monitors of the same
    /// provider.
    private static let monitors = Log<DeviceMonitor>()

    private func monitor(caps: Caps? = nil) throws -> DeviceMonitor {
        #expect(StagedDevices.register)
        let monitor = try DeviceMonitor(deviceClass: StagedDevices.deviceClass, caps: caps)
        Self.monitors.append(monitor)
        return monitor
    }

    @Test("A monitor lists devices without a watch")
    func list() async throws {
        let names = try await monitor().devices().map(\.displayName)
        #expect(names.sorted() == ["bare", "webcam"])
    }

    @Test("A monitor with caps lists only devices that deliver them")
    func filter() async throws {
        let (wide, narrow) = try (Caps("video/x-raw,width=640"), Caps("video/x-raw,width=320"))
        #expect(try await monitor(caps: wide).devices().contains { $0.displayName == "webcam" })
        #expect(try await !monitor(caps: narrow).devices().contains { $0.displayName == "webcam" })
    }

    @Test("A watch reports added and removed devices, and lists the present ones; a stop ends its bus")
    func watch() async throws {
        let monitor = try monitor()
        let messages = monitor.bus.messages()
        try await monitor.start()
        try await monitor.start()
        StagedDevices.plugIn("first")
        StagedDevices.plugIn("second")
        #expect(try await monitor.devices().map(\.displayName).sorted() == ["first", "second"])
        StagedDevices.unplug("first")
        #expect(try await monitor.devices().map(\.displayName) == ["second"])
        StagedDevices.unplug("second")
        try await monitor.stop()
        try await monitor.stop()
        var changes: [String] = []
        for await message in messages {
            switch message.content {
            case .deviceAdded(let device): changes.append("+\(device.displayName)")
            case .deviceRemoved(let device): changes.append("-\(device.displayName)")
            default: Issue.record("\(message)")
            }
        }
        #expect(changes == ["+first", "+second", "-first", "-second"])
    }

    @Test("A device class without a provider cannot be watched")
    func noProvider() async throws {
        let monitor = try DeviceMonitor(deviceClass: "Toaster/Sink")
        #expect(try await monitor.devices().isEmpty)
        #expect(await failure { try await monitor.start() }?.code == .stateChange)
    }

    @Test("Releasing a monitor ends its watch, and its bus")
    func release() async throws {
        let stops = StagedDevices.stops.items.count
        #expect(StagedDevices.register)
        var monitor: DeviceMonitor? = try DeviceMonitor(deviceClass: StagedDevices.deviceClass)
        let messages = try #require(monitor).bus.messages()
        try await monitor?.start()
        StagedDevices.plugIn("only")
        monitor = nil
        var names: [String] = []
        for await message in messages {
            if case .deviceAdded(let device) = message.content { names.append(device.displayName) }
        }
        #expect(names == ["only"])
        await StagedDevices.stops.first(stops + 1)
    }

    private func device(_ name: String) async throws -> Device {
        try #require(try await monitor().devices().first { $0.displayName == name })
    }

    @Test("A device has a name, a class, caps and details")
    func facts() async throws {
        let device = try await device("webcam")
        #expect(device.deviceClass == "Staged/Source")
        #expect(try device.caps == Caps("video/x-raw,width=640"))
        #expect(device.details?["serial", as: String.self] == "webcam-1")
    }

    @Test("The details of a device without properties are nil")
    func bare() async throws { #expect(try await device("bare").details == nil) }

    @Test("A device makes the element that reads from it")
    func makeElement() async throws {
        let element = try await device("webcam").makeElement(name: "camera")
        #expect(element.factoryName == "videotestsrc")
        #expect(element.name == "camera")
    }

    @Test("A device that cannot make an element throws")
    func noElement() async throws {
        let device = try await device("bare")
        #expect(failure { try device.makeElement() }?.code == .missingElement)
    }
}
