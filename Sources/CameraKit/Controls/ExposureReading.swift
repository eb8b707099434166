// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The exposure and white balance of a camera, as far as its driver reports them; for the metadata of a still.
public struct ExposureReading: Sendable, Hashable {
    /// The exposure time, in seconds.
    public var time: Double?
    /// The gain, in the driver's own unit.
    public var gain: Double?
    /// The sensitivity after ISO 12232, such as 100 or 400.
    public var sensitivity: Double?
    /// The color temperature that the camera treats as white, in kelvin.
    public var colorTemperature: Double?
    /// The use of the flash; `nil` if the camera has none, or it is off. ``CameraControls/exposure()`` does not set it.
    public var flash: FlashUse?

    /// Creates a reading.
    public init(
        time: Double? = nil, gain: Double? = nil, sensitivity: Double? = nil, colorTemperature: Double? = nil
    ) {
        self.time = time
        self.gain = gain
        self.sensitivity = sensitivity
        self.colorTemperature = colorTemperature
    }

    /// Reads the values that are certain. A value that an automatic control sets may be outdated: it is `nil` unless
    /// the driver refreshes it (`V4L2_CTRL_FLAG_VOLATILE`).
    init(_ controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        // The unit of V4L2_CID_EXPOSURE_ABSOLUTE is 100 us.
        time = Self.number(.exposureTime, .exposure, known).flatMap { $0 > 0 ? $0 / 10000 : nil }
        gain = Self.number(.gain, .gain, known) ?? Self.number(.analogGain, .gain, known)
        // V4L2_CID_ISO_SENSITIVITY gives thousandths.
        sensitivity = Self.number(.sensitivity, .sensitivity, known).flatMap { $0 > 0 ? $0 / 1000 : nil }
        colorTemperature = Self.number(.colorTemperature, .whiteBalance, known)
    }

    private static func number(
        _ id: ControlID, _ automatic: AutomaticControl, _ known: [ControlID: CameraControl]
    ) -> Double? {
        guard let control = known[id] else { return nil }
        let isRuled = known[automatic.mode].map(automatic.isOn) ?? false
        guard !isRuled || control.flags.contains(.volatile) else { return nil }
        if control.kind == .integerMenu { return control.chosenItem?.number.map(Double.init) }
        return control.value?.integer.map(Double.init)
    }
}

extension CameraControls {
    /// Reads exposure time, gain, sensitivity and color temperature. A value is `nil` if the driver does not report it;
    /// all are `nil` if the camera was disconnected.
    public func exposure() -> ExposureReading {
        let ids: [ControlID] = [
            .autoExposure, .exposureTime, .autoGain, .gain, .analogGain, .autoSensitivity, .sensitivity,
            .autoWhiteBalance, .colorTemperature,
        ]
        // Reads only these controls: on a USB camera each costs a transfer, and every still needs a reading.
        return ExposureReading(ids.compactMap(driver.control))
    }
}
