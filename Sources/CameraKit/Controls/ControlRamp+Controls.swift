// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

extension ControlRamp {
    /// Starts a ramp at the current values of a camera's controls.
    ///
    /// - Parameters:
    ///   - light: The light of pictures with these values.
    ///   - frameDuration: The longest exposure, unless the driver may slow frames down for it.
    /// - Returns: `nil` if the camera has no control for the ramp, if its automatic control is still on, or if white
    ///   balance is to be ramped and `light` has no color.
    init?(
        _ property: RampableControl, _ controls: [CameraControl], _ light: LightReading, _ limits: RampLimits,
        frameDuration: Duration
    ) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        switch property {
        case .exposure:
            let time = Self.time(known, frameDuration)
            let gain = Self.control(.gain, [.gain, .analogGain], .gain, known)
            exposure = ExposureRamp(
                time: time, gain: gain ?? Self.control(.sensitivity, [.sensitivity], .light, known),
                brightness: light.brightness, limits)
        case .whiteBalance:
            guard let redToBlue = light.redToBlue else { return nil }
            whiteBalance = Self.control(.whiteBalance, [.colorTemperature], .kelvin, known).map {
                WhiteBalanceRamp($0, redToBlue: redToBlue, limits)
            }
        }
        if isEmpty { return nil }
    }

    /// Adds the ramps that are missing here.
    mutating func add(_ other: ControlRamp) {
        exposure = exposure ?? other.exposure
        whiteBalance = whiteBalance ?? other.whiteBalance
    }

    /// Returns the control of exposure time. An exposure longer than a frame is impossible, or delays frames: the frame
    /// duration limits it.
    private static func time(_ known: [ControlID: CameraControl], _ frameDuration: Duration) -> RampedControl? {
        guard var time = control(.exposure, [.exposureTime], .light, known) else {
            return control(.exposure, [.exposure], .light, known)
        }
        // The unit of V4L2_CID_EXPOSURE_ABSOLUTE is 100 us.
        if known[.dynamicFrameRate]?.value != .integer(1) {
            time.limit(to: Int64(frameDuration / .microseconds(100)))
        }
        return time
    }

    private static func control(
        _ automatic: AutomaticControl, _ ids: [ControlID], _ unit: RampScale.Unit, _ known: [ControlID: CameraControl]
    ) -> RampedControl? {
        if let mode = known[automatic.mode], automatic.isOn(mode) { return nil }
        return ids.lazy.compactMap { known[$0] }.filter { !$0.flags.contains(.inactive) }
            .compactMap { RampedControl($0, unit) }.first
    }
}
