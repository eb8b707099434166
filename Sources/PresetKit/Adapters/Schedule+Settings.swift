// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit

extension Schedule {
    /// Creates the schedule that the settings describe.
    ///
    /// - Throws: ``CaptureError`` that names the option at fault.
    init(_ settings: CaptureSettings, _ mode: CaptureMode) throws(CaptureError) {
        switch mode {
        case .snap: self = .single
        case .preview: self = .onRequest(count: settings.count, for: try Self.length(settings))
        case .timelapse: self = try Self.series(settings)
        }
    }

    private static func length(_ settings: CaptureSettings) throws(CaptureError) -> Duration? {
        let until = try untilAhead(settings).map { $0.remaining(from: .now()) }
        return [settings.length, until].compactMap { $0 }.min()
    }

    private static func series(_ settings: CaptureSettings) throws(CaptureError) -> Schedule {
        guard let interval = settings.interval else {
            throw CaptureError(
                .usage, "is missing", subject: "--interval", advice: "give a time such as --interval 10s")
        }
        var schedule = every(interval, count: settings.count, for: settings.length)
        schedule.isAligned = settings.align ?? false
        schedule.start = settings.start
        schedule.until = try untilAhead(settings)
        schedule.openHours = try openHours(settings)
        schedule.latePolicy = settings.lateSlots ?? .late
        try schedule.check()
        return schedule
    }

    private static func untilAhead(_ settings: CaptureSettings) throws(CaptureError) -> WallClockTarget? {
        guard let until = settings.until else { return nil }
        guard until.remaining(from: .now()) > .zero else {
            throw CaptureError(.usage, "is in the past", subject: "--until")
        }
        return until
    }

    private static func openHours(_ settings: CaptureSettings) throws(CaptureError) -> OpenHours? {
        let (hours, days) = (settings.hours ?? [], settings.days ?? [])
        guard !hours.isEmpty || !days.isEmpty else { return nil }
        let place = settings.latitude.flatMap { latitude in
            settings.longitude.map { Place(latitude: latitude, longitude: $0) }
        }
        if place == nil, hours.contains(where: \.needsPlace) {
            let missing = settings.latitude == nil ? "--latitude" : "--longitude"
            throw CaptureError(
                .usage, "is missing, and hours by the sun need it", subject: missing,
                advice: "give the camera's place, such as --latitude 52.52 --longitude 13.40")
        }
        return OpenHours(hours, on: days.isEmpty ? Set(Weekday.allCases) : days, at: place)
    }

    /// Checks that there is a slot at all: hours and intervals may never meet.
    private func check() throws(CaptureError) {
        var series = SlotSeries(self, timeLine: .current())
        series.begin(at: PipelineClock.system.now)
        guard series.next == nil else { return }
        throw CaptureError(
            .usage, "the schedule has no slot",
            subject: until == nil ? openHours == nil ? "--align" : "--hours" : "--until",
            advice: "check interval, hours, days, start and until: together they exclude all slots")
    }
}
