// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    /// The settings that decide about slots.
    struct Plan: Sendable {
        var schedule = Schedule.single
        /// How the monotonic clock and the wall clock of the machine relate at the start.
        var timeLine = TimeLine.plain
        /// The position of the series, if an earlier run began it.
        var position: SeriesPosition?
        /// How a capture in this process handed the series over; `nil` if none did.
        var succession: SeriesSuccession?
        /// How long after the start the first slot is due at the earliest.
        var delay = Duration.zero
        /// How long before a slot its countdown begins.
        var countdown = Duration.zero
        /// How long before a slot its notice is emitted; zero for no notice.
        var notice = Duration.zero
        /// How long before a slot is due frames are examined, so that the nearest is not missed.
        var lead = Duration.zero
        /// The shortest time from a request to the moment of its picture: the flash has to be lit before.
        var preparation = Duration.zero
        /// The number of slots whose pictures may wait to be stored; it bounds memory.
        var backlogLimit = 2
        /// `true` if a lost camera is reopened; a slot waits for it until the next slot is due.
        var recovers = false
        /// The shortest pause for which the camera is closed; `nil` to keep it open.
        var rest: Duration?
    }
}

extension CaptureMachine.Plan {
    /// The longest lead: about two frames of a slow camera.
    private static let longestLead = Duration.milliseconds(60)
    /// Time to measure the light and to light the flash, and for the three frames until the flash shows.
    private static let flashLead = Duration.milliseconds(400)

    /// Derives the plan of a configuration.
    init(_ configuration: CaptureConfiguration, timeLine: TimeLine = .current()) {
        schedule = configuration.schedule
        position = configuration.position
        succession = configuration.succession
        self.timeLine = timeLine
        delay = configuration.delay
        countdown = configuration.countdown
        notice = configuration.notice
        preparation = configuration.flash == .off ? .zero : Self.flashLead
        lead = max(Self.lead(configuration), preparation)
        recovers = configuration.recovery.isOn
        rest = Self.rest(configuration)
    }

    /// Returns the shortest pause for which the camera is closed; `nil` to keep it open. Without
    /// ``CaptureConfiguration/standsBy`` the pause is long, so that the camera is closed at night and stays open by
    /// day.
    private static func rest(_ configuration: CaptureConfiguration) -> Duration? {
        guard configuration.recovery.isOn, let interval = configuration.schedule.interval else { return nil }
        return configuration.standsBy ? CameraRest.shortest : max(.seconds(600), interval * 2)
    }

    /// A picture that is due at once has no lead: no frames come before it.
    private static func lead(_ configuration: CaptureConfiguration) -> Duration {
        // Timers and repetitions are requested while the capture runs.
        if configuration.schedule.isOnRequest { return longestLead }
        if let interval = configuration.schedule.interval { return min(longestLead, interval / 2) }
        return configuration.delay > .zero || configuration.countdown > .zero ? longestLead : .zero
    }
}
