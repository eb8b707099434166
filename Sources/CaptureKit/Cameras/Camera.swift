// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A source of pictures with a stable identity.
///
/// `/dev/video0` may be another camera after the next start; ``id`` is made of what stays: vendor, model and serial
/// where udev knows them, else the port, else what the driver calls its place.
public struct Camera: Sendable, Hashable, Identifiable {
    /// What reads from a camera.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A Video4Linux2 device node, read by `v4l2src`.
        case v4l2
        /// A camera that needs libcamera's control loops, read by `libcamerasrc`.
        case libcamera
        /// The built-in test scene, made by `videotestsrc`.
        case scene
    }

    /// The stable name, which a shell takes without quotes: `usb-046d_HD_Pro_Webcam_C920_ABCDEF-video-index0`.
    public internal(set) var id: String
    /// The name for people: `HD Pro Webcam C920`.
    public var name: String
    /// The manufacturer's name, if the device or udev's database has one: EXIF's `Make`.
    public var make: String?
    /// The product's name, without the driver's additions: EXIF's `Model`.
    public var model: String?
    /// What reads from it.
    public let kind: Kind
    /// The device node, for V4L2 cameras.
    public var path: String?
    /// The kernel's driver: `uvcvideo`.
    public var driver: String?
    /// The place on the bus, as the driver says it: `usb-0000:00:14.0-4`.
    public var busInfo: String?
    /// The serial number, where the device has one.
    public var serial: String?
    /// libcamera's name for it, often the path of the sensor in the device tree.
    public var libcameraName: String?
    /// Other texts that mean it: node, links, number.
    public var aliases: [String]
    /// What it offers, in the driver's order; empty where it could not be asked.
    public var formats: [CameraFormat]
    /// True for one stage of a chain that only a media controller can set up (`V4L2_CAP_IO_MC`).
    ///
    /// Such a node gives no pictures alone; libcamera knows how to use it.
    public var needsMediaController: Bool
    /// Why it cannot be used now, if so.
    public var problem: CaptureError?

    /// What finding the same camera through another door needs.
    var hardware = HardwareAddress()

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

    /// True where it can be opened and gives pictures by itself, raw or as JPEG.
    public var isUsable: Bool {
        problem == nil && !needsMediaController && formats.contains { $0.isRaw || $0.isJPEG }
    }
}

/// Where a camera sits, in the kernel's terms.
struct HardwareAddress: Sendable, Hashable {
    /// Major and minor number of the node, as `st_rdev` packs them.
    var deviceNumber: UInt64?
    /// What identifies a USB device.
    var usb: USBIdentity?
}
