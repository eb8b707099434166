// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase

/// The kernel's number of a control (`V4L2_CID_…`). It stays the same if a kernel renames the control.
public struct ControlID: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt32

    /// Wraps a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ constant: Int32) { self.init(rawValue: UInt32(bitPattern: constant)) }

    static let gain = ControlID(V4L2_CID_GAIN)
    static let autoGain = ControlID(V4L2_CID_AUTOGAIN)
    static let analogGain = ControlID(V4L2_CID_ANALOGUE_GAIN)
    static let exposure = ControlID(V4L2_CID_EXPOSURE)
    package static let autoExposure = ControlID(V4L2_CID_EXPOSURE_AUTO)
    static let exposureTime = ControlID(V4L2_CID_EXPOSURE_ABSOLUTE)
    /// `exposure_dynamic_framerate`: an exposure may take longer than the frame rate permits.
    static let dynamicFrameRate = ControlID(V4L2_CID_EXPOSURE_AUTO_PRIORITY)
    static let sensitivity = ControlID(V4L2_CID_ISO_SENSITIVITY)
    static let autoSensitivity = ControlID(V4L2_CID_ISO_SENSITIVITY_AUTO)

    static let autoWhiteBalance = ControlID(V4L2_CID_AUTO_WHITE_BALANCE)
    static let whiteBalancePreset = ControlID(V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE)
    static let colorTemperature = ControlID(V4L2_CID_WHITE_BALANCE_TEMPERATURE)
    static let redBalance = ControlID(V4L2_CID_RED_BALANCE)
    static let blueBalance = ControlID(V4L2_CID_BLUE_BALANCE)

    static let autoFocus = ControlID(V4L2_CID_FOCUS_AUTO)
    static let focus = ControlID(V4L2_CID_FOCUS_ABSOLUTE)
    static let lock3A = ControlID(V4L2_CID_3A_LOCK)

    static let flashMode = ControlID(V4L2_CID_FLASH_LED_MODE)
    static let strobeSource = ControlID(V4L2_CID_FLASH_STROBE_SOURCE)
    static let strobe = ControlID(V4L2_CID_FLASH_STROBE)
    static let strobeStop = ControlID(V4L2_CID_FLASH_STROBE_STOP)
}

extension ControlID: CustomStringConvertible {
    /// The number as v4l2-ctl prints it: `0x00980900`.
    public var description: String { "0x" + rawValue.padded(to: 8, radix: 16) }
}
