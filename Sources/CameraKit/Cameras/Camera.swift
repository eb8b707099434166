// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A source of pictures with a stable identity.
///
/// `/dev/video0` may be another camera after the next boot. ``id`` uses stable properties: vendor, model and serial
/// number if udev knows them, else the port, else the driver's bus info.
public struct Camera: Sendable, Hashable, Identifiable {
    /// The GStreamer element that reads a camera.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A Video4Linux2 device node, read by `v4l2src`.
        case v4l2
        /// A camera that needs libcamera's control loops, read by `libcamerasrc`.
        case libcamera
        /// The built-in test scene, made by `videotestsrc`.
        case scene
    }

    /// The stable name, which a shell takes without quotes: `usb-046d_HD_Pro_Webcam_C920_ABCDEF-video-index0`.
    public package(set) var id: String
    /// The name for people: `HD Pro Webcam C920`.
    public var name: String
    /// The manufacturer's name, if the device or udev's database has one: EXIF's `Make`.
    public var make: String?
    /// The product's name, without the driver's additions: EXIF's `Model`.
    public var model: String?
    /// The GStreamer element that reads this camera.
    public let kind: Kind
    /// The device node, for V4L2 cameras.
    public var path: String?
    /// The kernel's driver: `uvcvideo`.
    public var driver: String?
    /// The camera's place on the bus, as the driver reports it: `usb-0000:00:14.0-4`.
    public var busInfo: String?
    /// The serial number, if the device has one.
    public var serial: String?
    /// libcamera's name for the camera, often the path of the sensor in the device tree.
    public var libcameraName: String?
    /// Other names of the camera that ``CameraCatalog/resolve(_:)`` accepts: node, links, number.
    public var aliases: [String]
    /// The formats that the camera offers, in the driver's order; empty if the camera could not be queried.
    public var formats: [CameraFormat]
    /// `true` for one stage of a chain that only a media controller can set up (`V4L2_CAP_IO_MC`).
    ///
    /// Such a node delivers no pictures alone; libcamera can use it.
    public var needsMediaController: Bool
    /// The error that prevents the use of the camera now; `nil` if there is none.
    public var problem: CaptureError?
    /// The service that holds the camera, and delivers its frames; `nil` to open the device.
    public package(set) var service: ServedCamera?

    /// The hardware address, which identifies the camera in libcamera's list and after a reconnect.
    package var hardware = HardwareAddress()

    /// Creates a camera.
    public init(
        id: String, name: String, kind: Kind, path: String? = nil, driver: String? = nil, busInfo: String? = nil,
        serial: String? = nil, libcameraName: String? = nil, aliases: [String] = [], formats: [CameraFormat] = [],
        needsMediaController: Bool = false, problem: CaptureError? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.path = path
        self.driver = driver
        self.busInfo = busInfo
        self.serial = serial
        self.libcameraName = libcameraName
        self.aliases = aliases
        self.formats = formats
        self.needsMediaController = needsMediaController
        self.problem = problem
    }

    /// `true` if the camera can be opened and delivers raw or JPEG pictures without a media controller.
    public var isUsable: Bool {
        problem == nil && !needsMediaController && formats.contains { $0.isRaw || $0.isJPEG }
    }
}

/// The address of a camera in the kernel's terms.
package struct HardwareAddress: Sendable, Hashable {
    /// The major and minor number of the node, packed as in `st_rdev`.
    var deviceNumber: UInt64?
    /// The identity of a USB camera; `nil` for other cameras.
    package var usb: USBIdentity?
}
