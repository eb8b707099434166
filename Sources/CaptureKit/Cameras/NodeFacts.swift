// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What is known of a video node before it is opened.
struct NodeFacts: Sendable, Hashable {
    /// Its name: `video0`.
    var node: String
    /// Its path: `/dev/video0`.
    var path: String
    /// The driver's name for it.
    var title: String?
    /// Its number among the nodes of its device; metadata nodes often are 1.
    var index: Int?
    /// The device in sysfs.
    var devicePath: String?
    /// The kernel's driver.
    var driver: String?
    /// What the USB device says of itself.
    var usb: USBFacts?
    /// The names of udev's links in `/dev/v4l/by-id`.
    var byID: [String] = []
    /// The names of udev's links in `/dev/v4l/by-path`.
    var byPath: [String] = []
    /// Major and minor number.
    var deviceNumber: UInt64?
    /// Whether it captures, where udev knows.
    var isCapture: Bool?
    /// True where another device has the same vendor, model and serial: udev's by-id link then leads to either.
    var hasTwin = false

    init(node: String, path: String) {
        self.node = node
        self.path = path
    }

    /// True where another device cannot be told from this one by vendor, model and serial.
    func isTwin(of other: NodeFacts) -> Bool {
        guard let usb, let theirs = other.usb else { return false }
        return usb.port != theirs.port && usb.product == theirs.product && usb.serial == theirs.serial
    }
}

/// What a USB device says of itself in sysfs.
struct USBFacts: Sendable, Hashable {
    /// The bus and ports that lead to it: `1-4`.
    let port: String
    /// The interface, without the bus: `4:1.0`.
    let interface: String
    /// Vendor and product: `046d:082d`.
    let product: String
    /// Its serial number, if it has one; many have the same.
    let serial: String?

    /// Reads what is around an interface of a USB device; `nil` where it is none.
    init?(interfacePath: String) {
        let name = DeviceFiles.name(of: interfacePath)
        let device = DeviceFiles.folder(of: interfacePath)
        guard let vendor = DeviceFiles.line("\(device)/idVendor"), let product = DeviceFiles.line("\(device)/idProduct")
        else { return nil }
        port = DeviceFiles.name(of: device)
        interface = name.firstIndex(of: "-").map { String(name[name.index(after: $0)...]) } ?? name
        self.product = "\(vendor):\(product)"
        serial = DeviceFiles.line("\(device)/serial")
    }
}
