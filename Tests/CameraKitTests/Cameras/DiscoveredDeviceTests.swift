// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Testing

@testable import CameraKit

@Suite("Devices that GStreamer found")
struct DiscoveredDeviceTests {
    private let webcam: DiscoveredDevice
    private let sensor: DiscoveredDevice

    init() throws {
        let (webcamCaps, sensorCaps) = (
            "video/x-raw, format=(string)YUY2, width=(int)640, height=(int)480, framerate=(fraction){ 30/1, 15/1 }",
            "video/x-raw, format=(string){ NV12, YUY2 }, width=(int)[ 32, 4056, 2 ], height=(int)[ 32, 3040, 2 ]"
        )
        webcam = DiscoveredDevice(
            name: "HD Pro Webcam C920", deviceClass: "Video/Source",
            formats: CameraFormat.formats(try Caps(webcamCaps).structures),
            properties: [
                "device.api": "v4l2", "device.path": "/dev/video0", "device.serial": "046d_HD_Pro_Webcam_C920_ABCDEF",
                "device.bus_path": "pci-0000:00:14.0-usb-0:4:1.0", "v4l2.device.driver": "uvcvideo",
                "v4l2.device.card": "HD Pro Webcam C920", "v4l2.device.bus_info": "usb-0000:00:14.0-4",
            ])
        sensor = DiscoveredDevice(
            name: "/base/soc/i2c0mux/i2c@1/imx477@1a", deviceClass: "Source/Video",
            formats: CameraFormat.formats(try Caps(sensorCaps).structures),
            properties: [
                "api.libcamera.Model": "imx477", "api.libcamera.SystemDevices": "< (gint64)20737, (gint64)20738 >",
            ])
    }

    private func node(_ number: UInt64, driver: String, usb: String? = nil) -> Camera {
        var camera = Camera(
            id: "node\(number)", name: "Node", kind: .v4l2, path: "/dev/video\(number)", driver: driver,
            aliases: ["/dev/video\(number)"], formats: [CameraFormat(fourcc: FourCC("MJPG"), sizes: [])])
        let identity = usb.map {
            USBIdentity(product: $0, serial: nil, place: "0000:00:14.0-5", interface: "5:1.0", index: 0)
        }
        camera.hardware = HardwareAddress(deviceNumber: 0x5100 + number, usb: identity)
        return camera
    }

    @Test("A device adds its details to a known camera, which is not listed twice")
    func known() {
        let merged = CameraCatalog.merge([node(0, driver: "uvcvideo")], with: [webcam, webcam])
        #expect(merged.count == 1)
        #expect(merged[0].id == "node0")
        #expect(merged[0].serial == "046d_HD_Pro_Webcam_C920_ABCDEF")
        #expect(merged[0].busInfo == "usb-0000:00:14.0-4")
    }

    @Test("A device gives no serial number to a USB camera that has none")
    func noSerial() {
        let merged = CameraCatalog.merge([node(0, driver: "uvcvideo", usb: "046d:082d")], with: [webcam])
        #expect(merged.count == 1)
        #expect(merged[0].serial == nil)
    }

    @Test("A device gives name and formats to a camera that could not be opened")
    func closed() {
        var camera = node(0, driver: "uvcvideo")
        camera.formats = []
        camera.problem = CaptureError(.temporary, "is busy")
        let merged = CameraCatalog.merge([camera], with: [webcam])
        #expect(merged[0].name == "HD Pro Webcam C920")
        #expect(merged[0].formats.first?.pixelFormat == "YUY2")
        #expect(merged[0].problem != nil)
    }

    @Test("A device that is not known yet is added")
    func new() {
        let merged = CameraCatalog.merge([], with: [webcam])
        #expect(merged.map(\.id) == ["pci-0000:00:14.0-usb-0:4:1.0"])
        #expect(merged[0].isUsable)
        #expect(merged[0].path == "/dev/video0")
    }

    @Test("A libcamera device replaces the nodes that it consists of")
    func libcamera() {
        let nodes = [node(0, driver: "uvcvideo"), node(1, driver: "unicam"), node(2, driver: "bcm2835-isp")]
        let merged = CameraCatalog.merge(nodes, with: [sensor])
        #expect(merged.map(\.id) == ["node0", "base-soc-i2c0mux-i2c@1-imx477@1a"])
        #expect(merged[1].kind == .libcamera)
        #expect(merged[1].name == "imx477")
        #expect(merged[1].libcameraName == sensor.name)
        #expect(merged[1].aliases.contains("/dev/video1"))
        #expect(merged[1].formats.map(\.pixelFormat) == ["NV12", "YUY2"])
        #expect(merged[1].formats[0].contains(width: 1920, height: 1080))
    }

    @Test("A libcamera device that is a USB camera stays V4L2's, by device number or by port and product")
    func usb() {
        let named = DiscoveredDevice(
            name: "\\_SB_.PCI0.XHC_.RHUB.HS05-5:1.0-04f2:b725", deviceClass: "Source/Video")
        let numbered = DiscoveredDevice(
            name: "any", deviceClass: "Source/Video", properties: ["api.libcamera.SystemDevices": "20736"])
        for device in [named, numbered] {
            let merged = CameraCatalog.merge([node(0, driver: "uvcvideo", usb: "04f2:b725")], with: [device])
            #expect(merged.map(\.kind) == [.v4l2])
            #expect(merged[0].libcameraName == device.name)
        }
    }

    @Test("A PipeWire device is recognized by its object path")
    func pipewire() {
        let device = DiscoveredDevice(
            name: "C920", deviceClass: "Video/Source", properties: ["object.path": "v4l2:/dev/video0"])
        #expect(CameraCatalog.merge([node(0, driver: "uvcvideo")], with: [device]).count == 1)
    }

    @Test("Devices that are not cameras are skipped")
    func others() {
        let devices = [
            DiscoveredDevice(name: "Microphone", deviceClass: "Audio/Source", properties: ["device.path": "/dev/x"]),
            DiscoveredDevice(name: "Out", deviceClass: "Video/Sink", properties: ["device.path": "/dev/video9"]),
            DiscoveredDevice(name: "Screen", deviceClass: "Video/Source", properties: [:]),
        ]
        #expect(CameraCatalog.merge([], with: devices).isEmpty)
    }

    @Test("A device is found by libcamera's name")
    func resolving() throws {
        let nowhere = DeviceTree(sysfs: "/nonexistent", dev: "/nonexistent", udev: "/nonexistent")
        let catalog = CameraCatalog(tree: nowhere, discovered: [sensor])
        for text in [sensor.name, "imx477", "base-soc-i2c0mux-i2c@1-imx477@1a", "auto"] {
            #expect(try catalog.resolve(text).libcameraName == sensor.name)
        }
    }

    @Test(
        "Any caps are read without a trap",
        arguments: [
            "", ";", "ANY", "EMPTY", "video/x-raw", "video/x-raw,", "video/x-raw, width=(int)", "=,=;=",
            "video/x-raw, width=(int)[ 1, ], height=(int){}", "video/x-raw, width=(int)-5, height=(int)0",
            "video/x-raw, width=(int)99999999999999999999, height=(int)1",
            "image/jpeg, framerate=(fraction)[ 0/1, 0/0 ]",
            "video/x-raw, format=(string)\"NV12", "}}}]]]", "{{{[[[(((",
            "video/x-raw(memory:DMABuf), width=1, height=1",
        ])
    func hostile(caps: String) {
        // GStreamer refuses most of these texts.
        for format in CameraFormat.formats((try? Caps(caps))?.structures ?? []) {
            #expect(format.sizes.allSatisfy { $0.width > 0 && $0.height > 0 })
        }
    }

    @Test(
        arguments: [
            ["width": .int(-5), "height": .int(1)], ["width": .int(1), "height": .int(0)],
            ["width": .int(.max), "height": .uint(.max)], ["width": .string("1"), "height": .double(1)],
            ["width": .intRange(Int32.min...Int32.max, step: .min), "height": .int(1)],
            ["width": .null, "height": .list([])],
            ["width": .list([.list([.int(1)]), .null]), "height": .array([])],
            ["format": .int(1), "width": .int(1), "height": .int(1)], ["format": .list([]), "width": .int(1)],
        ] as [[String: Value]])
    func `Impossible sizes and formats are omitted`(fields: [String: Value]) {
        #expect(CameraFormat.formats([Structure("video/x-raw", fields)]).allSatisfy { $0.sizes.isEmpty })
    }

    @Test(
        arguments: [
            (.fraction(Fraction(0, 1)), ""), (.fraction(Fraction(1, 0)), ""), (.fraction(Fraction(.min, .min)), ""),
            (.string("30/1"), ""), (.null, ""), (.fraction(Fraction(30, 1)), "30/1"),
            (.list([.fraction(Fraction(15, 1)), .null, .fraction(Fraction(30, 1))]), "30/1 15/1"),
            (.array([.fraction(Fraction(30, 1))]), "30/1"),
            (.fractionRange(Fraction(0, 0), Fraction(0, 0)), ""),
            (.fractionRange(Fraction(5, 1), Fraction(30, 1)), "5/1...30/1"),
            (.fractionRange(Fraction(0, 1), Fraction(30, 1)), "1/1...30/1"),
            (.fractionRange(Fraction(0, 1), Fraction(1, 2)), "1/2...1/2"),
            (.fractionRange(Fraction(30, 1), Fraction(5, 1)), "5/1...5/1"),
        ] as [(Value, String)])
    func `Frame rates are fractions, lists or ranges`(rate: Value, expected: String) {
        let fields: [String: Value] = ["width": .int(640), "height": .int(480), "framerate": rate]
        let formats = CameraFormat.formats([Structure("image/jpeg", fields)])
        #expect(formats.map(\.media) == [.jpeg])
        #expect(formats.flatMap(\.sizes).map(\.description) == ["640x480"])
        let rates = formats.flatMap(\.sizes).map { size in
            switch size.rates {
            case .discrete(let rates): rates.map(\.description).joined(separator: " ")
            case .range(let range): "\(range.lowerBound)...\(range.upperBound)"
            }
        }
        #expect(rates == [expected])
    }

    @Test("Frame rates are parsed as GStreamer prints them")
    func rates() throws {
        let caps = [
            "image/jpeg, width=(int)1920, height=(int)1080, framerate=(fraction)30/1; "
                + "image/jpeg, width=(int)640, height=(int)480, framerate=(fraction)[ 0/1, 60/1 ]",
            "video/x-raw(memory:DMABuf), format=(string)NV12, width=(int){ 640, 1280 }, height=(int)720",
        ]
        let formats = CameraFormat.formats(try caps.flatMap { try Caps($0).structures })
        #expect(formats.map { $0.media?.description } == ["image/jpeg", "video/x-raw,format=NV12"])
        #expect(formats[0].sizes.map { $0.rates.fastest?.description } == ["30/1", "60/1"])
        #expect(formats[1].sizes.map(\.description) == ["640x720", "1280x720"])
    }
}
