// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CaptureMachine {
    /// What decides about slots.
    struct Plan: Sendable {
        var schedule = Schedule.single
        /// How the machine's clock and the wall clock relate at the start.
        var timeLine = TimeLine.plain
        /// Where the series stands, if an earlier run began it.
        var position: SeriesPosition?
        /// How it came to this one, if that was in this process.
        var succession: SeriesSuccession?
        /// The first slot is not due before this long after the start.
        var delay = Duration.zero
        /// How long before a slot the seconds are counted.
        var countdown = Duration.zero
        /// How long before a slot it is told of; zero for never.
        var notice = Duration.zero
        /// So long before a slot is due the frames are looked at, so that the nearest is not missed.
        var lead = Duration.zero
        /// The shortest time from a request to the moment of its picture: a flash has to be lit before.
        var preparation = Duration.zero
        /// How many slots' pictures may wait to be stored: this bounds memory.
        var backlogLimit = 2
        /// True where a camera that is lost is opened anew, and a slot waits for it until the next is due.
        var recovers = false
        /// The shortest pause for which the camera is closed; `nil` for none.
        var rest: Duration?
    }
}

extension CaptureMachine.Plan {
    /// The longest lead: about two frames of a slow camera.
    private static let longestLead = Duration.milliseconds(60)
    /// The light is measured, the flash lit, and three frames later it shows.
    private static let flashLead = Duration.milliseconds(400)

    /// The plan of a configuration.
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

    /// A camera is not kept open through a night. By day it is, unless somebody wants otherwise.
    private static func rest(_ configuration: CaptureConfiguration) -> Duration? {
        guard configuration.recovery.isOn, let interval = configuration.schedule.interval else { return nil }
        return configuration.standsBy ? CameraRest.shortest : max(.seconds(600), interval * 2)
    }

    /// A picture that is due at once has no frames before it that could be looked at.
    private static func lead(_ configuration: CaptureConfiguration) -> Duration {
        // Timers and repetitions come while it runs.
        if configuration.schedule.isOnRequest { return longestLead }
        if let interval = configuration.schedule.interval { return min(longestLead, interval / 2) }
        return configuration.delay > .zero || configuration.countdown > .zero ? longestLead : .zero
    }
}
