// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import CameraKit

@Suite("Make and model of a camera")
struct MakeAndModelTests {
    private static let named = """
        I:4711
        E:ID_VENDOR=Lab_Maker
        E:ID_VENDOR_ENC=Lab\\x20Maker
        E:ID_VENDOR_ID=1209
        E:ID_MODEL=Lab_Webcam
        E:ID_MODEL_ENC=Lab\\x20Webcam\\x20\\x20
        E:ID_MODEL_ID=0001
        E:ID_VENDOR_FROM_DATABASE=Generic
        E:ID_V4L_CAPABILITIES=:capture:
        G:seat
        """
    private static let nameless = """
        E:ID_VENDOR=046d
        E:ID_VENDOR_ENC=046d
        E:ID_VENDOR_ID=046d
        E:ID_MODEL=0825
        E:ID_MODEL_ENC=0825
        E:ID_MODEL_ID=0825
        E:ID_VENDOR_FROM_DATABASE=Logitech, Inc.
        E:ID_MODEL_FROM_DATABASE=Webcam C270
        """

    @Test("Make and model come from udev in the device's own spelling")
    func exact() {
        let record = UdevRecord(Array(Self.named.utf8))
        #expect(record.maker == "Lab Maker")
        #expect(record.model == "Lab Webcam")
        #expect(record.isCapture == true)
    }

    @Test("Make and model come from the list of USB IDs if the device has none")
    func listed() throws {
        var facts = NodeFacts(node: "video0", path: "/dev/video0")
        facts.udev = UdevRecord(Array(Self.nameless.utf8))
        #expect(facts.udev.maker == nil && facts.udev.model == nil)
        #expect(facts.make == "Logitech, Inc.")
        #expect(facts.model == "Webcam C270")
    }

    @Test("Make and model come from sysfs if udev does not run")
    func sysfs() throws {
        let fake = try FakeTree()
        try fake.add(0, usb: "1-1", serial: "A", maker: "Lab Maker", model: "Lab Webcam")
        let catalog = CameraCatalog(tree: fake.tree) { _ throws(CaptureError) in
            .camera("Lab Webcam: Lab Webcam")
        }
        let camera = try catalog.resolve("0")
        #expect(camera.make == "Lab Maker")
        #expect(camera.model == "Lab Webcam")
        #expect(camera.name == "Lab Webcam")
        #expect(try catalog.resolve("Lab Webcam: Lab Webcam").path == camera.path)
    }

    @Test(
        "A name that uvcvideo doubles is not repeated",
        arguments: [
            ("Lab Webcam: Lab Webcam", "Lab Webcam"), ("Integrated Camera: Integrated C", "Integrated Camera"),
            ("Webcam: Infrared", "Webcam: Infrared"), ("Webcam", "Webcam"), ("Webcam: ", "Webcam: "), ("", ""),
            (": ", ": "),
        ])
    func repetition(card: String, name: String) {
        #expect(CameraIdentity.withoutRepetition(card) == name)
    }

    @Test(
        "A damaged record has no make",
        arguments: ["", "E:", "E:=", "E:ID_VENDOR", "E:ID_VENDOR=", "\\x", "E:ID_VENDOR_ENC=a\\x2", "\u{0}\u{1}"])
    func damaged(text: String) {
        let record = UdevRecord(Array(text.utf8))
        #expect(record.maker == nil)
        #expect(record.isCapture == nil)
    }
}
