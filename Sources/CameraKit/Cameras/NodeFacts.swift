// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A video node as sysfs and udev describe it, without opening it.
package struct NodeFacts: Sendable, Hashable {
    /// The node's name: `video0`.
    var node: String
    /// The node's path: `/dev/video0`.
    package var path: String
    /// The driver's name for the node.
    var title: String?
    /// The node's number among the nodes of its device; metadata nodes often have 1.
    var index: Int?
    /// The path of the device in sysfs.
    var devicePath: String?
    /// The kernel's driver.
    var driver: String?
    /// The USB device; `nil` for other devices.
    package var usb: USBFacts?
    /// The names of udev's links in `/dev/v4l/by-id`.
    var byID: [String] = []
    /// The names of udev's links in `/dev/v4l/by-path`.
    var byPath: [String] = []
    /// The major and minor number, packed as in `st_rdev`.
    var deviceNumber: UInt64?
    /// The properties that udev stored; empty if udev does not run, or has not examined the node yet.
    var udev = UdevRecord()
    /// `true` if another device has the same vendor, model and serial number: udev's by-id link may lead to either.
    var hasTwin = false
    /// `true` if another node of the device has the same index: each of udev's links may lead to either.
    var sharesLinks = false

    init(node: String, path: String) {
        self.node = node
        self.path = path
    }

    /// `true` if another node of the same device would get links of the same names.
    func hasSameLinks(as other: NodeFacts) -> Bool {
        node != other.node && devicePath != nil && devicePath == other.devicePath && index == other.index
    }

    /// `true` if vendor, product and serial number do not distinguish these two devices.
    func isTwin(of other: NodeFacts) -> Bool {
        guard let usb, let theirs = other.usb else { return false }
        return usb.place != theirs.place && usb.product == theirs.product && usb.serial == theirs.serial
    }
}

/// A USB device as sysfs describes it.
package struct USBFacts: Sendable, Hashable {
    /// The host controller and the ports below it: `0000:00:14.0-4`. The kernel's own name of the port, `1-4`, begins
    /// with the number of the bus, which may change at each boot.
    let place: String
    /// The interface, without the bus: `4:1.0`.
    let interface: String
    /// Vendor and product: `046d:082d`.
    let product: String
    /// The serial number, if the device has one; cheap cameras of one model often share one.
    let serial: String?
    /// The manufacturer's name, as the device spells it.
    let maker: String?
    /// The product's name, as the device spells it.
    let model: String?

    /// Reads the device of a USB interface; `nil` if the path belongs to another kind of device.
    init?(interfacePath: String) {
        let name = DeviceFiles.name(of: interfacePath)
        let device = DeviceFiles.folder(of: interfacePath)
        guard let vendor = DeviceFiles.line("\(device)/idVendor"), let product = DeviceFiles.line("\(device)/idProduct")
        else { return nil }
        place = Self.place(of: device)
        interface = Self.withoutBus(name)
        self.product = "\(vendor):\(product)"
        serial = DeviceFiles.line("\(device)/serial")
        maker = DeviceFiles.line("\(device)/manufacturer")
        model = DeviceFiles.line("\(device)/product")
    }

    /// Returns `0000:00:14.0-4` for `/sys/devices/pci0000:00/0000:00:14.0/usb1/1-4`.
    private static func place(of device: String) -> String {
        let parts = device.split(separator: "/").map(String.init)
        let port = withoutBus(parts.last ?? device)
        let bus = parts.lastIndex { $0.hasPrefix("usb") && $0.count > 3 && $0.dropFirst(3).allSatisfy(\.isNumber) }
        guard let bus, bus > 0 else { return port }
        return "\(parts[bus - 1])-\(port)"
    }

    private static func withoutBus(_ name: String) -> String {
        name.firstIndex(of: "-").map { String(name[name.index(after: $0)...]) } ?? name
    }
}
