// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import Foundation

/// A folder that looks like sysfs, /dev and udev's data. It is removed on deinitialization.
package final class FakeTree {
    private let root: URL

    package init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID().uuidString)")
        for folder in ["sys/class/video4linux", "sys/devices", "dev/v4l/by-id", "dev/v4l/by-path", "udev"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: folder), withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    package var tree: DeviceTree {
        DeviceTree(sysfs: "\(root.path)/sys", dev: "\(root.path)/dev", udev: "\(root.path)/udev")
    }

    package func dev(_ name: String) -> String { "\(root.path)/dev/\(name)" }

    /// Adds a node, as an interface of a USB device if `usb` is given.
    package func add(
        _ node: Int, title: String = "Camera", index: Int = 0, usb: String? = nil, product: String = "082d",
        serial: String? = nil, maker: String? = nil, model: String? = nil, capabilities: String? = nil
    ) throws {
        try write("", to: "dev/video\(node)")
        let folder = "sys/class/video4linux/video\(node)"
        try write(title + "\n", to: "\(folder)/name")
        try write("\(index)\n", to: "\(folder)/index")
        try write("81:\(node)\n", to: "\(folder)/dev")
        if let capabilities { try write("E:ID_V4L_CAPABILITIES=\(capabilities)\n", to: "udev/c81:\(node)") }
        guard let usb else { return }
        let device = "sys/devices/\(usb)"
        try write("046d\n", to: "\(device)/idVendor")
        try write("\(product)\n", to: "\(device)/idProduct")
        for (file, text) in [("serial", serial), ("manufacturer", maker), ("product", model)] {
            if let text { try write("\(text)\n", to: "\(device)/\(file)") }
        }
        try write("", to: "\(device)/\(usb):1.0/uevent")
        try link("\(folder)/device", to: "\(root.path)/\(device)/\(usb):1.0")
    }

    package func link(id name: String, to node: Int) throws {
        try link("dev/v4l/by-id/\(name)", to: "../../video\(node)")
    }
    package func link(path name: String, to node: Int) throws {
        try link("dev/v4l/by-path/\(name)", to: "../../video\(node)")
    }

    package func write(_ text: String, to path: String) throws {
        let url = root.appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: root.appending(path: path).path, withDestinationPath: target)
    }
}

extension NodeReport {
    /// A camera with one size.
    package static func camera(
        _ card: String = "HD Pro Webcam C920", busInfo: String = "usb-0000:00:14.0-4", fourcc: String = "YUYV",
        flags: UInt32 = 0x0400_0001
    ) -> NodeReport {
        NodeReport(
            capabilities: .init(driver: "uvcvideo", card: card, busInfo: busInfo, flags: flags),
            formats: [CameraFormat(fourcc: FourCC(fourcc), sizes: [FrameSize(640, 480)])])
    }
}
