// Part of gst-capture. Apache License 2.0, see LICENSE.

/// All of a camera that follows the light from picture to picture.
struct ControlRamp: Sendable, Hashable {
    var exposure: ExposureRamp?
    var whiteBalance: WhiteBalanceRamp?

    /// True where nothing follows.
    var isEmpty: Bool { exposure == nil && whiteBalance == nil }

    /// What sets the controls to where it is.
    var settings: [ControlSetting] {
        (exposure?.settings ?? []) + [whiteBalance?.setting].compactMap { $0 }
    }

    /// Takes in the light of a picture that was taken with ``settings``; answers what to change for the next.
    mutating func follow(_ reading: LightReading) -> [ControlSetting] {
        let before = Set(settings)
        exposure?.follow(reading.brightness)
        whiteBalance?.follow(reading)
        return settings.filter { !before.contains($0) }
    }
}
