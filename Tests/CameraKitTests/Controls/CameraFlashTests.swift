// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import CameraKit

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

    @Test("An LED with a torch mode is a steady light", arguments: [FlashMode.on, .torch])
    func steady(mode: FlashMode) throws {
        let driver = FakeControls([Self.torch])
        let flash = try flash(mode, driver)
        try flash.light()
        try flash.turnOff()
        #expect(driver.log == ["led_mode=2", "led_mode=0"])
    }

    @Test("An automatic flash fires in the dark, and a series near the threshold does not alternate")
    func decision() {
        var decision = FlashDecision()
        let series: [(Double?, Bool)] = [
            (0.25, false), (0.21, false), (0.19, true), (0.21, true), (nil, true), (0.29, true), (0.31, false),
            (0.21, false), (nil, false), (0.05, true),
        ]
        for (brightness, fires) in series { #expect(decision.fires(at: brightness) == fires) }
    }

    @Test("A control that the user names replaces the flash LED, and its value is restored")
    func named() throws {
        let driver = FakeControls([.number(.gain, "gain", 17)])
        let flash = try CameraFlash(ControlAssignment(name: "gain", value: "200"), CameraControls(driver: driver))
        try flash.light()
        try flash.turnOff()
        #expect(driver.log == ["gain=200", "gain=17"])
        #expect(throws: CaptureError.self) {
            try CameraFlash(ControlAssignment(name: "lamp", value: "1"), CameraControls(driver: driver))
        }
    }

    @Test("An LED without a torch mode strobes")
    func strobe() throws {
        let driver = FakeControls(Self.strobing)
        let flash = try flash(.on, driver)
        try flash.light()
        try flash.turnOff()
        #expect(driver.log == ["strobe_source=0", "led_mode=1", "strobe=1", "stop_strobe=1", "led_mode=0"])
        #expect(throws: CaptureError.self) { try self.flash(.torch, driver) }
    }

    @Test("The flash is searched for on the camera first, then on the sub-devices of the machine")
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

    @Test("A flash that is missing, or on two sub-devices, is a configuration error")
    func unclear() {
        let leds = ["/dev/v4l-subdev0", "/dev/v4l-subdev1"].map { FakeControls([Self.torch], path: $0) }
        for others in [[], leds] {
            let error = #expect(throws: CaptureError.self) { try flash(.on, FakeControls([]), others) }
            #expect(error?.code == .configuration)
        }
    }

    @Test("A sub-device that cannot be opened is an error if the flash must fire, and no LED if it is automatic")
    func inaccessible() {
        let cases: [(FlashMode, CaptureError.Code)] = [
            (.on, .permission), (.torch, .permission), (.auto, .configuration),
        ]
        for (mode, code) in cases {
            let error = #expect(throws: CaptureError.self) {
                try CameraFlash(mode, FakeControls([]), subdevices: ["/dev/v4l-subdev0"]) { path throws(CaptureError) in
                    throw CaptureError(.permission, "permission denied", subject: path)
                }
            }
            #expect(error?.code == code)
        }
    }

    @Test("If a control fails, the other controls still turn the flash off")
    func turningOff() throws {
        let failure = CaptureError(.inputOutput, "no answer")
        let driver = FakeControls(Self.strobing, refusing: [.strobeStop: failure])
        let flash = try flash(.on, driver)
        #expect(throws: failure) { try flash.turnOff() }
        #expect(driver.log == ["led_mode=0"])
    }
}
