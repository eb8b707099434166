// Part of gst-capture. Apache License 2.0, see LICENSE.

extension CaptureSettings {
    /// The settings that a job takes from its camera: its files never go where requested pictures go.
    package var withoutOutput: CaptureSettings {
        var settings = self
        (settings.output, settings.ledger, settings.latest) = (nil, nil, nil)
        return settings
    }

    /// The settings without those that only decide when a series captures.
    package var withoutSchedule: CaptureSettings {
        var settings = self
        (settings.interval, settings.count, settings.length, settings.until, settings.start) = (nil, nil, nil, nil, nil)
        (settings.align, settings.hours, settings.days, settings.lateSlots) = (nil, nil, nil, nil)
        (settings.latitude, settings.longitude, settings.delay, settings.countdown) = (nil, nil, nil, nil)
        return settings
    }
}
