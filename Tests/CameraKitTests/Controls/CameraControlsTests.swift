// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import Testing

@testable import CameraKit

@Suite("Camera controls")
struct CameraControlsTests {
    private static let brightness = CameraControl.number(ControlID(rawValue: 0x0098_0900), "brightness", 128)
    private static let whiteBalance = CameraControl.toggle(
        .autoWhiteBalance, "white_balance_automatic", 1, flags: .update)
    private static let temperature = CameraControl.number(
        .colorTemperature, "white_balance_temperature", 4600, 2800...6500, step: 10)

    private let driver = FakeControls([brightness, temperature, whiteBalance])
    private var controls: CameraControls { CameraControls(driver: driver) }

    @Test(
        "Controls have v4l2-ctl's names",
        arguments: [
            ("Brightness", "brightness"), ("White Balance, Automatic", "white_balance_automatic"),
            ("Exposure Time, Absolute", "exposure_time_absolute"), ("Y'CbCr Encoding", "y_cbcr_encoding"),
            ("Power Line Frequency", "power_line_frequency"), ("U8 2x3x4x5 Array", "u8_2x3x4x5_array"),
            (" -Odd- ", "odd"), ("", ""), ("Ä!", ""),
        ])
    func names(title: String, name: String) {
        #expect(ControlName.spelled(title) == name)
    }

    @Test(
        "A control is found by its names in old and new kernels, by its title and by its number",
        arguments: [
            "white_balance_automatic", "white_balance_temperature_auto", "White Balance, Automatic", "0x0098090c",
        ])
    func finding(text: String) throws {
        #expect(try controls.control(named: text).id == .autoWhiteBalance)
    }

    @Test("An unknown control is refused, with the nearest name as advice")
    func unknown() {
        let error = #expect(throws: CaptureError.self) { try controls.set("brigthness", to: "1") }
        #expect(error?.code == .usage)
        #expect(error?.subject == "/dev/video0")
        #expect(error?.advice == "did you mean brightness?")
    }

    @Test("Setting a control returns its new value")
    func setting() throws {
        #expect(try controls.set("brightness", to: "50%").value == .integer(128))
        #expect(try controls.set("brightness", to: "0x20").value == .integer(32))
        #expect(driver.log == ["brightness=128", "brightness=32"])
    }

    @Test("Controls on which others depend are set before them, in any order of assignments")
    func order() throws {
        try controls.set([
            ControlAssignment(name: "white_balance_temperature", value: "5000"),
            ControlAssignment(name: "white_balance_automatic", value: "off"),
        ])
        #expect(driver.log == ["white_balance_automatic=0", "white_balance_temperature=5000"])
    }

    @Test("All assignments are checked before the first control is set")
    func atomic() {
        #expect(throws: CaptureError.self) {
            try controls.set([
                ControlAssignment(name: "brightness", value: "10"), ControlAssignment(name: "nonsense", value: "1"),
            ])
        }
        #expect(throws: CaptureError.self) {
            try controls.set([
                ControlAssignment(name: "brightness", value: "10"),
                ControlAssignment(name: "brightness", value: "1000"),
            ])
        }
        #expect(driver.log.isEmpty)
    }

    @Test("An inactive control is refused, and the advice names the control that deactivates it")
    func inactive() {
        let gain = CameraControl.number(.gain, "gain", 10, flags: [.inactive, .volatile])
        let driver = FakeControls([gain, .toggle(.autoGain, "gain_automatic", 1)])
        let error = #expect(throws: CaptureError.self) {
            try CameraControls(driver: driver).set("gain", to: "3")
        }
        #expect(error?.advice?.contains("gain_automatic") == true)
        #expect(driver.log.isEmpty)
    }

    @Test("A control that is grabbed while the camera streams is refused with a temporary error")
    func grabbed() {
        let driver = FakeControls([.number(ControlID(rawValue: 5), "rotate", 0, flags: .grabbed)])
        let error = #expect(throws: CaptureError.self) { try CameraControls(driver: driver).set("rotate", to: "90") }
        #expect(error?.code == .temporary)
    }

    @Test("The scene has no controls, and the advice of the error says so")
    func scene() throws {
        let controls = try CameraControls(.scene)
        #expect(try controls.list().isEmpty)
        let error = #expect(throws: CaptureError.self) { try controls.set("brightness", to: "1") }
        #expect(error?.advice == "it has no controls at all")
        #expect(try controls.lockExposure().isEmpty)
        #expect(controls.exposure() == ExposureReading())
    }

    @Test(
        "Each errno of a driver has an error code",
        arguments: [
            (EBUSY, CaptureError.Code.temporary), (EACCES, .usage), (ERANGE, .usage), (EINVAL, .usage),
            (ENODEV, .noCamera), (EIO, .inputOutput), (EPERM, .permission),
        ])
    func refused(number: Int32, code: CaptureError.Code) {
        #expect(CaptureError.control(number, "gain cannot be set to 3", "/dev/video0").code == code)
    }
}
