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
        /// How long the camera delivers frames at least before the first picture: the movie of a live photo shows them.
        var motion = Duration.zero
        /// How long before a slot is due the search for its frame begins, so that the nearest is not missed.
        var lead = Duration.zero
        /// The shortest time from a request to the moment of its picture: the flash has to be lit before.
        var preparation = Duration.zero
        /// The number of slots whose pictures may be pending; it bounds memory.
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
        motion = configuration.motion?.before ?? .zero
        preparation = configuration.flash == .off ? .zero : Self.flashLead
        lead = max(Self.lead(configuration), preparation)
        recovers = configuration.recovery.isOn
        rest = Self.rest(configuration)
        backlogLimit = Self.backlogLimit(configuration)
    }

    /// Returns for how many slots pictures may be pending: for those of a second, as memory cards pause for that long
    /// now and then, but for at least two and at most eight. Bursts have many frames: two.
    private static func backlogLimit(_ configuration: CaptureConfiguration) -> Int {
        guard let interval = configuration.schedule.interval, configuration.burst == 1 else { return 2 }
        return Int(min(8, max(2, .seconds(1) / interval)))
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

extension CaptureMachine {
    /// A request of the caller, or an event that the controller reports.
    enum Input: Sendable {
        /// Begin.
        case start
        /// The camera delivers frames and its picture is steady, for the first time or again after `.interrupted`.
        case ready
        /// The camera is lost, and its supervisor tries to recover it. Slots continue meanwhile.
        case interrupted
        /// The moment of the last `.wake` effect has come.
        case wake
        /// The frame nearest to the moment of the current slot has arrived: the slot will have a picture.
        case found
        /// The frame nearest to the moment of the current slot is too late, and the schedule skips late pictures.
        case tooLate
        /// All frames of the current slot have arrived.
        case picked
        /// The source ended before it delivered a frame for the current slot.
        case noFrame(CaptureError)
        /// All pictures of a slot are durable, or have failed.
        case stored
        /// Capture a picture now.
        case trigger
        /// Capture a picture after this long, with a countdown; or cancel the running timer.
        case timer(Duration)
        /// Capture a picture now and one every interval from then on, in addition to requested pictures; `nil` stops
        /// that.
        case repetition(Duration?)
        /// Stop after the current picture.
        case finish
        /// Stop after the current picture, because a limit is reached.
        case limit(CaptureError)
        /// Stop at once.
        case cancel
        /// The source ended; frames that it delivered before may still be pending.
        case ended(CaptureError)
        /// The machine was suspended for this long; its monotonic clock stood still.
        case suspended(Duration)
        /// The wall clock was set.
        case clockSet(TimeLine)
        /// The source is lost for good.
        case lost(CaptureError)
    }
}

extension CaptureMachine {
    /// An action for the controller.
    enum Effect: Sendable, Hashable {
        /// Open the camera, then send `.ready`.
        case open
        /// Close the camera until shortly before the slot.
        case rest(until: Slot)
        /// Open the camera again, then send `.ready`.
        case rouse
        /// Send `.wake` at this moment; replaces the previous wake.
        case wake(ClockTime)
        /// Choose the frame nearest to the slot's moment and send `.found`; then choose the frames that follow and send
        /// `.picked`.
        case pick(Slot)
        /// Choose no more frames for the current slot. Frames that were chosen are still stored.
        case abandonPick
        /// Emit the remaining time.
        case countdown(Slot, Duration)
        /// Emit the next slot and the remaining time.
        case upcoming(Slot, Duration)
        /// Emit that the countdown to this picture was canceled.
        case calledOff(Slot)
        /// Emit consecutive slots without a picture.
        case missed(SlotRun, MissReason)
        /// Emit that the clock is behind the last slot of the resumed series by this much.
        case clockIsBehind(Duration)
        /// Close the camera and end.
        case end(CaptureSummary.Ending)
    }
}
