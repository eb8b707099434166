// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureTestSupport
import Testing

@testable import CaptureKit

@Suite("Values of controls that are set while a camera is in use")
struct CameraAdjustmentTests {
    private static func configuration(_ controls: [ControlAssignment]) -> CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.controls = controls
        return configuration
    }

    private static func value(_ name: String, _ value: String) -> ControlAssignment {
        ControlAssignment(name: name, value: value)
    }

    @Test("They follow the controls of the configuration, and replace those of the same name")
    func order() {
        let adjustments = CameraAdjustments()
        let configuration = Self.configuration([Self.value("brightness", "1"), Self.value("gain", "2")])
        #expect(adjustments.applied(to: configuration).controls == configuration.controls)
        adjustments.add([Self.value("hue", "3"), Self.value("brightness", "4")], to: "scene")
        adjustments.add([Self.value("hue", "5")], to: "scene")
        adjustments.add([Self.value("gain", "6")], to: "another")
        #expect(
            adjustments.applied(to: configuration).controls == [
                Self.value("gain", "2"), Self.value("brightness", "4"), Self.value("hue", "5"),
            ])
        adjustments.remove(["brightness"], from: "scene")
        #expect(adjustments.applied(to: configuration).controls.last == Self.value("hue", "5"))
        adjustments.remove(from: "scene")
        #expect(adjustments.applied(to: configuration).controls == configuration.controls)
    }

    @Test("Elements in place of a camera have none")
    func fragment() {
        let adjustments = CameraAdjustments()
        adjustments.add([Self.value("hue", "3")], to: "scene")
        let configuration = CaptureConfiguration(source: .fragment("fakesrc"), output: .caller)
        #expect(adjustments.applied(to: configuration).controls.isEmpty)
    }
}
