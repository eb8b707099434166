// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import CameraKit

@Suite("The identity of a USB camera")
struct USBIdentityTests {
    /// A camera at a port: its serial number, and whether a twin was seen.
    private static func camera(
        _ port: Int, _ serial: String?, product: String = "046d:082d", interface: String = "1.0", index: Int = 0,
        hasTwin: Bool = false
    ) -> USBIdentity {
        USBIdentity(
            product: product, serial: serial, place: "0000:00:14.0-\(port)", interface: "\(port):\(interface)",
            index: index, hasTwin: hasTwin)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let known: USBIdentity
        let present: [USBIdentity]
        let expected: USBIdentity.Search
    }

    static let cases = [
        Case(
            testDescription: "same serial number, same port", known: camera(1, "A"),
            present: [camera(2, "B"), camera(1, "A")], expected: .found([1])),
        Case(
            testDescription: "same serial number, other port", known: camera(1, "A"), present: [camera(5, "A")],
            expected: .found([0])),
        Case(
            testDescription: "same serial number, other port, a twin model in the old one", known: camera(1, "A"),
            present: [camera(1, "B"), camera(5, "A")], expected: .found([1])),
        Case(
            testDescription: "another serial number in the old port", known: camera(1, "A"), present: [camera(1, "B")],
            expected: .missing),
        Case(
            testDescription: "no serial number in the old port of a camera that has one", known: camera(1, "A"),
            present: [camera(1, nil)], expected: .missing),
        Case(
            testDescription: "a serial number in the old port of a camera that has none", known: camera(1, nil),
            present: [camera(1, "A")], expected: .missing),
        Case(
            testDescription: "same serial number of another product", known: camera(1, "A"),
            present: [camera(1, "A", product: "046d:0825")], expected: .missing),
        Case(
            testDescription: "no serial number, same port", known: camera(1, nil),
            present: [camera(2, nil), camera(1, nil)], expected: .found([1])),
        Case(
            testDescription: "no serial number, other port", known: camera(1, nil), present: [camera(2, nil)],
            expected: .uncertain([0])),
        Case(
            testDescription: "no serial number, another product in the port", known: camera(1, nil),
            present: [camera(1, nil, product: "046d:0825")], expected: .missing),
        Case(
            testDescription: "two with one serial number, in their ports", known: camera(1, "0", hasTwin: true),
            present: [camera(2, "0"), camera(1, "0")], expected: .found([1])),
        Case(
            testDescription: "two with one serial number, the other alone", known: camera(1, "0", hasTwin: true),
            present: [camera(2, "0")], expected: .uncertain([0])),
        Case(
            testDescription: "one serial number at two other ports", known: camera(1, "0"),
            present: [camera(2, "0"), camera(3, "0")], expected: .uncertain([0, 1])),
        Case(
            testDescription: "the second sensor of the same device", known: camera(1, "A", interface: "1.2"),
            present: [camera(4, "A"), camera(4, "A", interface: "1.2")], expected: .found([1])),
        Case(
            testDescription: "the metadata node of the same device", known: camera(1, "A"),
            present: [camera(4, "A", index: 1), camera(4, "A")], expected: .found([1])),
        Case(
            testDescription: "two nodes of one interface that nothing tells apart", known: camera(1, "A"),
            present: [camera(4, "A"), camera(4, "A")], expected: .found([0, 1])),
        Case(testDescription: "nothing is connected", known: camera(1, "A"), present: [], expected: .missing),
    ]

    @Test("A known camera is found by its serial number, or by its port if it has no other mark", arguments: cases)
    func search(item: Case) {
        #expect(item.known.search(item.present) == item.expected)
    }

    @Test(
        "The place of a USB camera does not depend on the bus number",
        arguments: [
            ("pci0000:00/0000:00:14.0/usb1/1-4", "0000:00:14.0-4"),
            ("pci0000:00/0000:00:14.0/usb3/3-4/3-4.2", "0000:00:14.0-4.2"),
            ("platform/vhci_hcd.0/usb1/1-1", "vhci_hcd.0-1"),
        ])
    func place(device: String, place: String) throws {
        let fake = try FakeTree()
        let interface = "\(device)/\(DeviceFiles.name(of: device)):1.0"
        for (file, text) in [("idVendor", "046d"), ("idProduct", "082d")] {
            try fake.write("\(text)\n", to: "sys/devices/\(device)/\(file)")
        }
        let usb = try #require(USBFacts(interfacePath: "\(fake.tree.sysfs)/devices/\(interface)"))
        #expect(usb.place == place)
        #expect(usb.interface == "\(place.split(separator: "-").last ?? ""):1.0")
    }

    @Test("The USB identity of a node is the same with and without udev links")
    func withoutLinks() throws {
        let (before, after) = (try FakeTree(), try FakeTree())
        for fake in [before, after] { try fake.add(0, usb: "1-1", serial: "A") }
        try before.link(id: "usb-Lab_Webcam_A-video-index0", to: 0)
        let identities = [before, after].map {
            $0.tree.videoNodes().first.flatMap { node in
                node.usb.map { USBIdentity($0, node) }
            }
        }
        #expect(identities[0] != nil && identities[0] == identities[1])
    }
}
