// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a camera exposes and what it takes for white, as far as its driver tells; for the metadata of a still.
public struct ExposureReading: Sendable, Hashable {
    /// In seconds.
    public var time: Double?
    /// In the unit of the driver, which is its own.
    public var gain: Double?
    /// After ISO 12232, such as 100 or 400.
    public var sensitivity: Double?
    /// What the camera takes for white, in kelvin.
    public var colourTemperature: Double?
    /// The use of the flash; `nil` if the camera has none, or it is off.
    public var flash: FlashUse?

    /// Creates a reading.
    public init(
        time: Double? = nil, gain: Double? = nil, sensitivity: Double? = nil, colourTemperature: Double? = nil
    ) {
        self.time = time
        self.gain = gain
        self.sensitivity = sensitivity
        self.colourTemperature = colourTemperature
    }

    /// Takes from controls what holds for sure. While an automatic control rules a value that the driver does not read
    /// anew, what it says is old: better nothing than that.
    init(_ controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        // The unit of V4L2_CID_EXPOSURE_ABSOLUTE is 100 us.
        time = Self.number(.exposureTime, .exposure, known).flatMap { $0 > 0 ? $0 / 10000 : nil }
        gain = Self.number(.gain, .gain, known) ?? Self.number(.analogueGain, .gain, known)
        // V4L2_CID_ISO_SENSITIVITY gives thousandths.
        sensitivity = Self.number(.sensitivity, .sensitivity, known).flatMap { $0 > 0 ? $0 / 1000 : nil }
        colourTemperature = Self.number(.colourTemperature, .whiteBalance, known)
    }

    private static func number(
        _ id: ControlID, _ automatism: Automatism, _ known: [ControlID: CameraControl]
    ) -> Double? {
        guard let control = known[id] else { return nil }
        let isRuled = known[automatism.mode].map(automatism.isOn) ?? false
        guard !isRuled || control.flags.contains(.volatile) else { return nil }
        if control.kind == .integerMenu { return control.chosenItem?.number.map(Double.init) }
        return control.value?.integer.map(Double.init)
    }
}

extension CameraControls {
    /// Reads exposure time, gain and colour temperature; what the driver does not tell is `nil`.
    ///
    /// - Throws: ``CaptureError`` where the camera went away.
    public func exposure() throws(CaptureError) -> ExposureReading {
        let ids: [ControlID] = [
            .autoExposure, .exposureTime, .autoGain, .gain, .analogueGain, .autoSensitivity, .sensitivity,
            .autoWhiteBalance, .colourTemperature,
        ]
        // Only what is needed: each control of a USB camera costs a transfer, and this comes with every still.
        return ExposureReading(ids.compactMap(driver.control))
    }
}
