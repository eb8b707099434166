// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CameraCatalog {
    /// Returns a catalog that includes the devices that GStreamer's device providers find (`GstDeviceMonitor`).
    ///
    /// The providers query all capabilities of each driver, which takes a second with some drivers. If they fail, or
    /// take longer than `deadline`, the catalog still finds V4L2's cameras.
    public static func discovering(deadline: Duration = .seconds(10)) async -> CameraCatalog {
        guard let monitor = try? DeviceMonitor(), (try? await monitor.start(deadline: deadline)) != nil else {
            return CameraCatalog()
        }
        let devices = (try? await monitor.devices(deadline: deadline)) ?? []
        try? await monitor.stop(deadline: deadline)
        return CameraCatalog(discovered: devices.map(DiscoveredDevice.init))
    }

    /// Returns the cheapest catalog in which ``resolve(_:)`` can find the camera that `text` names.
    ///
    /// Queries the providers only if they can know more than V4L2's nodes: if libcamera's plugin is installed, and
    /// `text` names neither a node nor the scene.
    public static func finding(_ text: String, deadline: Duration = .seconds(10)) async -> CameraCatalog {
        let isKnown = text == Camera.sceneID || text.hasPrefix("/dev/")
        guard !isKnown, GStreamer.hasElement("libcamerasrc") else { return CameraCatalog() }
        return await discovering(deadline: deadline)
    }
}

extension DiscoveredDevice {
    /// Describes a device that GStreamer found.
    init(_ device: Device) {
        let details = device.details?.fields ?? [:]
        self.init(
            name: device.displayName, deviceClass: device.deviceClass,
            caps: device.caps?.structures.map(\.description) ?? [],
            properties: details.mapValues(\.plainText))
    }
}

extension Value {
    /// The string itself, or GStreamer's text form of any other value.
    fileprivate var plainText: String {
        if case .string(let text) = self { text } else { description }
    }
}
