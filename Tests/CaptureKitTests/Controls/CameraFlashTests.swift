// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureKit

@Suite("The flash LED")
struct CameraFlashTests {
    private static func led(_ items: [(Int64, String)]) -> CameraControl {
        .menu(.flashMode, "led_mode", items, value: 0)
    }
    private static let torch = led([(0, "Off"), (1, "Flash"), (2, "Torch")])
    private static let strobing = [
        led([(0, "Off"), (1, "Flash")]), CameraControl.button(.strobe, "strobe"),
        .button(.strobeStop, "stop_strobe"),
        .menu(.strobeSource, "strobe_source", [(0, "Software"), (1, "External")], value: 1),
    ]

    private func flash(_ mode: FlashMode, _ camera: FakeControls, _ others: [FakeControls] = []) throws -> CameraFlash {
        try CameraFlash(mode, camera, subdevices: others.map(\.path)) { path throws(CaptureError) in
            guard let found = others.first(where: { $0.path == path }) else { throw CaptureError(.noCamera, "gone") }
            return found
        }
    }

    @Test("is a steady light where it can be", arguments: [FlashMode.on, .torch])
    func steady(mode: FlashMode) throws {
        let driver = FakeControls([Self.torch])
        let flash = try flash(mode, driver)
        try flash.light()
        try flash.douse()
        #expect(driver.log == ["led_mode=2", "led_mode=0"])
    }

    @Test("strobes where it can do no other")
    func strobe() throws {
        let driver = FakeControls(Self.strobing)
        let flash = try flash(.on, driver)
        try flash.light()
        try flash.douse()
        #expect(driver.log == ["strobe_source=0", "led_mode=1", "strobe=1", "stop_strobe=1", "led_mode=0"])
        #expect(throws: CaptureError.self) { try self.flash(.torch, driver) }
    }

    @Test("is found on the one sub-device that has it, and on the camera first")
    func subdevice() throws {
        let sensor = FakeControls([], path: "/dev/v4l-subdev0")
        let led = FakeControls([Self.torch], path: "/dev/v4l-subdev1")
        try flash(.on, FakeControls([]), [sensor, led]).light()
        #expect(led.log == ["led_mode=2"])
        let camera = FakeControls([Self.torch])
        try flash(.on, camera, [sensor, led]).light()
        #expect(camera.log == ["led_mode=2"])
        #expect(led.log == ["led_mode=2"])
    }

    @Test("that is not there, or is there twice, is a mistake in the configuration")
    func unclear() {
        let leds = ["/dev/v4l-subdev0", "/dev/v4l-subdev1"].map { FakeControls([Self.torch], path: $0) }
        for others in [[], leds] {
            let error = #expect(throws: CaptureError.self) { try flash(.on, FakeControls([]), others) }
            #expect(error?.code == .configuration)
        }
    }

    @Test("is put out as far as can be, whatever happens on the way")
    func dousing() throws {
        let failure = CaptureError(.inputOutput, "no answer")
        let driver = FakeControls(Self.strobing, refusing: [.strobeStop: failure])
        let flash = try flash(.on, driver)
        #expect(throws: failure) { try flash.douse() }
        #expect(driver.log == ["led_mode=0"])
    }
}
