// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// The ramps of a camera, which follow the light from picture to picture.
package struct ControlRamp: Sendable, Hashable {
    var exposure: ExposureRamp?
    var whiteBalance: WhiteBalanceRamp?

    /// `true` if there is no ramp.
    package var isEmpty: Bool { exposure == nil && whiteBalance == nil }

    /// The settings for the current levels.
    var settings: [ControlSetting] {
        (exposure?.settings ?? []) + [whiteBalance?.setting].compactMap { $0 }
    }

    /// Follows the light of a picture that was captured with ``settings``. Returns the changes for the next picture.
    mutating func follow(_ reading: LightReading) -> [ControlSetting] {
        let before = Set(settings)
        exposure?.follow(reading.brightness)
        whiteBalance?.follow(reading)
        return settings.filter { !before.contains($0) }
    }
}
