// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CameraCatalog {
    /// Merges the cameras found through V4L2 with the devices that GStreamer's device providers found.
    ///
    /// A camera that both found is listed once. A USB camera stays a V4L2 camera, because V4L2 gives access to its JPEG
    /// frames and controls. The nodes of any other libcamera camera are not listed as cameras; they become its aliases.
    public static func merge(_ cameras: [Camera], with devices: [DiscoveredDevice]) -> [Camera] {
        let sources = devices.filter(\.isVideoSource)
        var merged = cameras
        for device in sources where device.libcameraName == nil { add(node: device, to: &merged) }
        for device in sources {
            if let name = device.libcameraName { add(device, libcamera: name, to: &merged) }
        }
        return merged
    }

    /// Adds a device of the V4L2 or PipeWire provider: fills gaps of a known camera, or appends a new camera.
    private static func add(node device: DiscoveredDevice, to cameras: inout [Camera]) {
        guard let path = device.nodePath else { return }
        if let index = cameras.firstIndex(where: { $0.path == path || $0.aliases.contains(path) }) {
            cameras[index].complete(with: device)
        } else {
            cameras.append(Camera(device, path: path))
        }
    }

    private static func add(_ device: DiscoveredDevice, libcamera name: String, to cameras: inout [Camera]) {
        guard !cameras.contains(where: { $0.libcameraName == name }) else { return }
        let claimed = cameras.indices.filter { cameras[$0].isClaimed(by: device, libcamera: name) }
        if let index = claimed.first(where: { cameras[$0].isUSB }) {
            cameras[index].libcameraName = name
            cameras[index].aliases.append(name)
            return
        }
        let nodes = claimed.map { cameras[$0] }
        for index in claimed.reversed() { cameras.remove(at: index) }
        cameras.append(Camera(device, libcamera: name, nodes: nodes))
    }
}

extension Camera {
    fileprivate var isUSB: Bool { driver == "uvcvideo" || hardware.usb != nil }

    /// `true` if libcamera reads this node. Older versions list no nodes, but name USB cameras by port and product.
    fileprivate func isClaimed(by device: DiscoveredDevice, libcamera name: String) -> Bool {
        guard kind == .v4l2 else { return false }
        if let number = hardware.deviceNumber, device.deviceNumbers.contains(number) { return true }
        return hardware.usb.map { name.hasSuffix("-\($0.interface)-\($0.product)") } ?? false
    }

    fileprivate mutating func complete(with device: DiscoveredDevice) {
        // The provider's "serial" is udev's ID_SERIAL, which consists of maker and model if the device has no serial
        // number.
        if hardware.usb == nil { serial = serial ?? device["device.serial"] }
        busInfo = busInfo ?? device["v4l2.device.bus_info"]
        driver = driver ?? device["v4l2.device.driver"]
        if formats.isEmpty { formats = device.formats }
        // The name of a camera that could not be opened is only its node's; the provider knows a better one.
        if problem != nil, let product = device.productName { name = product }
    }

    /// Creates a camera that only GStreamer found.
    fileprivate init(_ device: DiscoveredDevice, path: String) {
        var facts = NodeFacts(node: DeviceFiles.name(of: path), path: path)
        if let place = device["device.bus_path"], !place.contains("/") { facts.byPath = [place] }
        let identity = CameraIdentity(facts, busInfo: device["v4l2.device.bus_info"])
        self.init(
            id: identity.id, name: device.productName ?? facts.node, kind: .v4l2, path: path,
            driver: device["v4l2.device.driver"], busInfo: device["v4l2.device.bus_info"],
            serial: device["device.serial"], aliases: identity.aliases, formats: device.formats)
    }

    /// Creates a libcamera camera from the V4L2 nodes that libcamera reads.
    fileprivate init(_ device: DiscoveredDevice, libcamera name: String, nodes: [Camera]) {
        let id = CameraIdentity.name(libcamera: name)
        self.init(
            id: id, name: device["api.libcamera.Model"] ?? name, kind: .libcamera, driver: nodes.first?.driver,
            busInfo: nodes.first?.busInfo, libcameraName: name,
            aliases: [name] + nodes.flatMap { [$0.id] + $0.aliases }, formats: device.formats)
    }
}

extension DiscoveredDevice {
    fileprivate var productName: String? {
        self["v4l2.device.card"] ?? self["device.product.name"] ?? (name.isEmpty ? nil : FixedText.clean(name.utf8))
    }
}
