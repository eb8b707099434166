// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CameraKit

@Suite("The identity of a camera")
struct CameraIdentityTests {
    private let byID = "usb-046d_HD_Pro_Webcam_C920_ABCDEF-video-index0"
    private let byPath = "pci-0000:00:14.0-usb-0:4:1.0-video-index0"

    private func facts() -> NodeFacts {
        var facts = NodeFacts(node: "video2", path: "/dev/video2")
        (facts.byID, facts.byPath) = ([byID], [byPath])
        return facts
    }

    @Test("The identity of a camera is vendor, model and serial if udev knows them; other names are aliases")
    func preferred() {
        let identity = CameraIdentity(facts(), busInfo: "usb-0000:00:14.0-4")
        #expect(identity.id == byID)
        for alias in ["/dev/v4l/by-id/\(byID)", byPath, "usb-0000-00-14.0-4", "/dev/video2", "video2", "2"] {
            #expect(identity.aliases.contains(alias))
        }
    }

    @Test("The identity of a camera is its port if two cameras have the same description")
    func twins() {
        var twin = facts()
        twin.hasTwin = true
        #expect(CameraIdentity(twin, busInfo: nil).id == byPath)
    }

    @Test("The identity of a camera is the driver's place if two nodes claim the same links")
    func contested() {
        var facts = facts()
        facts.sharesLinks = true
        #expect(CameraIdentity(facts, busInfo: "platform:vivid-001").id == "platform-vivid-001")
    }

    @Test(
        "The identity of a camera without udev is the driver's place and the index there",
        arguments: [
            ("platform:vivid-000", 0, "platform-vivid-000"), ("platform:vivid-001", 2, "platform-vivid-001-index2"),
            ("usb-0000:00:14.0-4", 0, "usb-0000-00-14.0-4"), ("", 0, "video0"), ("::", 0, "video0"),
        ])
    func withoutUdev(busInfo: String, index: Int, id: String) {
        var facts = NodeFacts(node: "video0", path: "/dev/video0")
        facts.index = index
        #expect(CameraIdentity(facts, busInfo: busInfo).id == id)
    }

    @Test(
        "The identity of a camera needs no quotes in a shell",
        arguments: [
            "usb-Evil$(reboot)_`x`", "a b", "a\\x20b", "ünïcode", "quote'\"", "semi;colon|&", "-rf", "a\u{0}b", "~",
            "a*?[b]",
        ])
    func shellSafe(text: String) {
        let safe = CameraIdentity.shellSafe(text)
        #expect(!safe.hasPrefix("-"))
        #expect(safe.wholeMatch(of: /[A-Za-z0-9._:+,=@%_-]+/) != nil)
    }

    @Test("The identity of a libcamera camera comes from the path of the sensor")
    func libcamera() {
        #expect(
            CameraIdentity.name(libcamera: "/base/soc/i2c0mux/i2c@1/imx477@1a") == "base-soc-i2c0mux-i2c@1-imx477@1a")
        #expect(CameraIdentity.name(libcamera: "\\_SB_.PCI0.XHC_.RHUB.HS05-5:1.0-04f2:b725").hasPrefix("_SB_.PCI0"))
    }
}
