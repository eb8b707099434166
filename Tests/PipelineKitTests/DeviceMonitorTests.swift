// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Devices", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct DeviceMonitorTests {
    @Test("Devices are listed without a watch, and each says what it is")
    func list() async throws {
        let monitor = try DeviceMonitor()
        for device in try await monitor.devices() {
            #expect(!device.displayName.isEmpty)
            #expect(device.deviceClass.contains("Video"))
            #expect(device.caps?.isEmpty != true)
            _ = device.details
        }
    }

    @Test("A watch starts twice, lists, stops, and ends its bus")
    func watch() async throws {
        let monitor = try DeviceMonitor(deviceClass: "Video/Source", caps: Caps("video/x-raw"))
        let listening = Task { [bus = monitor.bus] in
            var count = 0
            for await _ in bus.messages() { count += 1 }
            return count
        }
        try await monitor.start()
        try await monitor.start()
        _ = try await monitor.devices()
        try await monitor.stop()
        try await monitor.stop()
        _ = await listening.value
    }

    @Test("A class that nobody provides cannot be watched")
    func nobody() async throws {
        let monitor = try DeviceMonitor(deviceClass: "Toaster/Sink")
        #expect(try await monitor.devices().isEmpty)
        #expect(await failure { try await monitor.start() }?.code == .stateChange)
    }

    @Test("Letting go of a watch ends it, and its bus")
    func lettingGo() async throws {
        var monitor: DeviceMonitor? = try DeviceMonitor()
        let messages = try #require(monitor).bus.messages()
        try await monitor?.start()
        monitor = nil
        for await _ in messages {}
    }
}
