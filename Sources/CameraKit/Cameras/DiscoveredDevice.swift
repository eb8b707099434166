// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A device as one of GStreamer's device providers describes it (`GstDevice`), in plain values.
public struct DiscoveredDevice: Sendable, Hashable {
    /// The device's name for people; libcamera's provider puts the camera's name here.
    public let name: String
    /// The device's class: `Video/Source`, or `Source/Video` from libcamera's provider.
    public let deviceClass: String
    /// The formats that the device offers.
    public let formats: [CameraFormat]
    /// The provider's other properties, each value as text (`gst_value_serialize` or the string itself).
    public let properties: [String: String]

    /// Creates a description.
    public init(
        name: String, deviceClass: String, formats: [CameraFormat] = [], properties: [String: String] = [:]
    ) {
        self.name = name
        self.deviceClass = deviceClass
        self.formats = formats
        self.properties = properties
    }

    var isVideoSource: Bool { Set(deviceClass.split(separator: "/")).isSuperset(of: ["Video", "Source"]) }

    /// The path of the V4L2 node, which PipeWire's provider may report, too.
    var nodePath: String? {
        self["device.path"] ?? self["api.v4l2.path"]
            ?? self["object.path"].flatMap { $0.hasPrefix("v4l2:") ? String($0.dropFirst(5)) : nil }
    }

    /// libcamera's name for the camera; `nil` for other devices. Only newer versions of its provider mark their
    /// devices. Devices of older versions are recognized by the class, written the other way round, and by the missing
    /// node.
    var libcameraName: String? {
        if let path = self["api.libcamera.path"] { return path }
        if properties.keys.contains(where: { $0.hasPrefix("api.libcamera.") }) { return name }
        return nodePath == nil && self["device.api"] == nil && deviceClass == "Source/Video" ? name : nil
    }

    /// The V4L2 nodes through which libcamera reads the camera, by major and minor number (`SystemDevices`).
    var deviceNumbers: [UInt64] {
        let text = self["api.libcamera.SystemDevices"] ?? self["api.libcamera.system-devices"] ?? ""
        // An array reads `< (gint64)20736, (gint64)20737 >`: the parentheses contain types.
        var (depth, plain) = (0, "")
        for character in text {
            if character == "(" { depth += 1 }
            if depth == 0 { plain.append(character) }
            if character == ")" { depth = max(0, depth - 1) }
        }
        return plain.split { !$0.isNumber }.compactMap { UInt64($0) }
    }

    /// A property without the quotes of GStreamer's text form; `nil` if it is missing or empty.
    subscript(key: String) -> String? {
        guard var value = properties[key] else { return nil }
        if value.count >= 2, value.first == "\"", value.last == "\"" { value = String(value.dropFirst().dropLast()) }
        value = FixedText.clean(value.utf8)
        return value.isEmpty ? nil : value
    }
}
