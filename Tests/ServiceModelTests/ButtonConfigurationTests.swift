// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import PresetKit
import Testing

@testable import ServiceModel

@Suite("Buttons in a configuration")
struct ButtonConfigurationTests {
    private func errors(_ buttons: String) -> [String] {
        let text = "cameras: { a: { camera: scene } }\nbuttons:\n\(buttons)"
        do throws(CaptureError) {
            _ = try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    @Test("A button of a camera")
    func camera() throws {
        let text = "buttons: [{ device: Buzzer, key: enter, camera: a, grab: no }]\ncameras: { a: { camera: scene } }"
        let configuration = try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
        var button = ServiceButton(device: "Buzzer", key: 28, action: .snap(camera: "a"))
        button.isGrabbed = false
        #expect(configuration.buttons == [button])
    }

    @Test("A button that records, and one that triggers")
    func clips() throws {
        let text = """
            buttons: [{ device: B, camera: a, do: record }, { device: C, camera: a, do: trigger }]
            cameras: { a: { camera: scene } }
            """
        let configuration = try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
        #expect(configuration.buttons.map(\.action) == [.record(camera: "a"), .trigger(camera: "a")])
    }

    @Test(
        "Mistakes are reported with their place",
        arguments: [
            ("  - { camera: a }", "a button has no device"), ("  - { device: B }", "a button does nothing"),
            ("  - { device: B, camera: b }", #"there is no camera "b""#),
            ("  - { device: B, session: s }", #"there is no session "s""#),
            ("  - { device: B, camera: a, do: accept }", #"do: "accept" is not a request of a camera"#),
            ("  - { device: B, camera: a, session: s }", "camera and session exclude each other"),
            ("  - { device: B, camera: a, key: entr }", #"key: "entr" is not a key; did you mean enter?"#),
            ("  - { device: B, camera: a, knob: 1 }", #"unknown key "knob""#), ("  device: B", "buttons: is a list"),
        ])
    func mistakes(text: String, message: String) throws {
        let errors = errors(text)
        #expect(errors.count == 1 && errors[0].contains(message) && errors[0].hasPrefix("serve.yaml:"), "\(errors)")
    }

    @Test(
        "Keys are named as in the kernel, or numbered",
        arguments: [
            ("enter", KEY_ENTER), ("KEY_ENTER", KEY_ENTER), ("a", KEY_A), ("0", KEY_0), ("f10", KEY_F10),
            ("btn_trigger", BTN_TRIGGER), ("28", KEY_ENTER), ("z", KEY_Z),
        ])
    func keys(text: String, code: Int32) throws { #expect(try ServiceButton.code(text) == Int(code)) }

    @Test("Other keys are refused", arguments: ["", "entr", "99999", "-1", "enter "])
    func wrongKeys(text: String) { #expect(throws: InvalidValue.self) { try ServiceButton.code(text) } }
}
