// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CameraCatalog {
    /// A catalog that also knows what GStreamer's device providers find (`GstDeviceMonitor`).
    ///
    /// The providers ask each driver for all that it can do, which takes a second with some. Where they fail, or take
    /// longer than `deadline`, V4L2's cameras are still found.
    public static func discovering(deadline: Duration = .seconds(10)) async -> CameraCatalog {
        guard let monitor = try? DeviceMonitor(), (try? await monitor.start(deadline: deadline)) != nil else {
            return CameraCatalog()
        }
        let devices = (try? await monitor.devices(deadline: deadline)) ?? []
        try? await monitor.stop(deadline: deadline)
        return CameraCatalog(discovered: devices.map(DiscoveredDevice.init))
    }

    /// A catalog that ``resolve(_:)`` can find this camera in, at the least cost.
    ///
    /// Providers are asked only where they can know more than V4L2's nodes say: where libcamera's plugin is there, and
    /// no node is named.
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
    /// A text as it is, and any other value as GStreamer writes it.
    fileprivate var plainText: String {
        if case .string(let text) = self { text } else { description }
    }
}
