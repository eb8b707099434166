// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureTestSupport
import Testing

@Suite("Parsing the value of a control")
struct ControlParsingTests {
    private let id = ControlID(rawValue: 1)

    @Test(
        "The value of a control is a number, a percentage of the range, or the default",
        arguments: [
            ("128", 128), (" 128 ", 128), ("0x10", 16), ("0%", 0), ("50%", 128), ("100%", 255), ("12.5%", 32),
            ("default", 100), ("DEFAULT", 100),
        ])
    func numbers(text: String, value: Int64) throws {
        let control = CameraControl(id: id, name: "brightness", kind: .integer, maximum: 255, defaultValue: 100)
        #expect(try control.parse(text) == .integer(value))
    }

    @Test(
        "A wrong value of a control is refused, and the advice gives the range",
        arguments: [
            "256", "-1", "", "ten", "1.5", "101%", "-1%", "nan%", "inf%", "%", "99999999999999999999", "0x", "0x+5",
            "0x-5", "\u{0}",
        ])
    func wrongNumbers(text: String) {
        let control = CameraControl(id: id, name: "brightness", kind: .integer, maximum: 255)
        let error = #expect(throws: CaptureError.self) { try control.parse(text) }
        #expect(error?.code == .usage)
        #expect(error?.advice?.contains("0 to 255") == true)
    }

    @Test(
        "A value is rounded to the step of its control",
        arguments: [("250", 250), ("254", 250), ("256", 260), ("1005", 1000)])
    func steps(text: String, value: Int64) throws {
        let control = CameraControl(id: id, name: "exposure", kind: .integer, maximum: 1005, step: 10)
        #expect(try control.parse(text) == .integer(value))
    }

    @Test(
        "The values of a control cover the whole range of 64 bits",
        arguments: [
            ("-9223372036854775808", Int64.min), ("9223372036854775807", .max), ("0%", .min), ("100%", .max),
            ("50%", 0),
        ])
    func wide(text: String, value: Int64) throws {
        let control = CameraControl(id: id, name: "wide", kind: .integer64, minimum: .min, maximum: .max)
        #expect(try control.parse(text) == .integer(value))
        let coarse = CameraControl(id: id, name: "wide", kind: .integer64, minimum: .min, maximum: .max, step: .max)
        _ = try coarse.parse(text)
        _ = try control.parse("99.99999999999999%")
    }

    @Test(
        "A control that is a switch is on or off",
        arguments: [("on", 1), ("Off", 0), ("true", 1), ("no", 0), ("1", 1), ("0", 0), ("default", 0)])
    func switches(text: String, value: Int64) throws {
        #expect(try CameraControl.toggle(id, "mute", 0).parse(text) == .integer(value))
        #expect(throws: CaptureError.self) { try CameraControl.toggle(id, "mute", 0).parse("2") }
    }

    @Test(
        "A menu entry is given by its index, its name, or the beginning of its name",
        arguments: [("1", 1), ("manual mode", 1), ("Manual_Mode", 1), ("manual", 1), ("aperture", 3), ("3", 3)])
    func menus(text: String, value: Int64) throws {
        #expect(try CameraControl.exposureMode(3).parse(text) == .integer(value))
    }

    @Test("An unknown menu entry is refused with a list of all", arguments: ["2", "-1", "", "mode", "x", "🙂"])
    func wrongMenus(text: String) {
        let error = #expect(throws: CaptureError.self) { try CameraControl.exposureMode(3).parse(text) }
        #expect(error?.advice == "give one of 1 (Manual Mode), 3 (Aperture Priority Mode)")
    }

    @Test("A menu entry whose beginning is ambiguous needs its whole name")
    func similar() throws {
        let menu = CameraControl.menu(id, "rate", [(0, "50 Hz"), (1, "50 Hz fast")], value: 0)
        #expect(throws: CaptureError.self) { try menu.parse("50") }
        #expect(try menu.parse("50 hz") == .integer(0))
    }

    @Test("A control that is a bitmask accepts only its own bits")
    func bitmasks() throws {
        let control = CameraControl(id: id, name: "mask", kind: .bitmask, maximum: 0x8000_0001)
        #expect(try control.parse("0x80000000") == .integer(Int64(Int32.min)))
        #expect(throws: CaptureError.self) { try control.parse("2") }
        #expect(throws: CaptureError.self) { try control.parse("-1") }
    }

    @Test("A control that is a text has a minimum and a maximum length, and no NUL")
    func strings() throws {
        let control = CameraControl(id: id, name: "text", kind: .string, minimum: 2, maximum: 4)
        #expect(try control.parse("ab") == .text("ab"))
        for text in ["a", "abcde", "ééé", "a\u{0}"] {
            #expect(throws: CaptureError.self) { try control.parse(text) }
        }
    }

    @Test("A control that is a button can be pressed, and an array accepts no value")
    func others() throws {
        #expect(try CameraControl.button(id, "reset").parse("press") == .integer(1))
        #expect(throws: CaptureError.self) { try CameraControl.button(id, "reset").parse("5") }
        #expect(throws: CaptureError.self) { try CameraControl(id: id, name: "array", kind: .compound).parse("1") }
    }

    @Test("A control that cannot be set is refused for that reason, also if it has other flags")
    func refused() {
        let cases: [(CameraControl.Kind, CameraControl.Flags, String)] = [
            (.compound, .volatile, "it is an array"), (.compound, [], "it is an array"),
            (.compound, [.disabled, .inactive], "it is disabled"), (.integer, .readOnly, "it is read-only"),
            (.integer, [.grabbed, .readOnly, .volatile], "it is read-only"),
        ]
        for (kind, flags, reason) in cases {
            let control = CameraControl(id: id, name: "fixed", kind: kind, flags: flags)
            let error = #expect(throws: CaptureError.self) { try control.parse("1") }
            #expect(error?.advice == reason)
        }
    }

    @Test("A driver whose minimum exceeds its maximum does not cause a trap")
    func lies() throws {
        let control = CameraControl(id: id, name: "odd", kind: .integer, minimum: 10, maximum: -10, step: 0)
        #expect(try control.parse("50%") == .integer(10))
        #expect(throws: CaptureError.self) { try control.parse("5") }
    }
}
