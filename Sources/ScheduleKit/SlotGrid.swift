// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The possible slots of a schedule, without its beginning and end: multiples of an interval within open hours.
///
/// Time is divided into stretches in which slots are evenly spaced, so that any number of them is counted at once.
struct SlotGrid: Sendable {
    let interval: Duration
    private let isAligned: Bool
    private let openHours: OpenHours?
    private let zone: Zone

    /// Creates the grid of a schedule; `nil` if the schedule has no interval.
    init?(_ schedule: Schedule, _ zone: Zone) {
        guard let interval = schedule.interval else { return nil }
        (self.interval, self.zone) = (interval, zone)
        (isAligned, openHours) = (schedule.isAligned, schedule.openHours)
    }

    /// `true` if setting the wall clock moves the slots.
    var followsWallClock: Bool { isAligned || openHours != nil }

    /// The maximum number of stretches that are searched for a slot. Most stretches are days.
    private static let mostStretches = 1000

    /// Returns the first slot at a moment or later. `phase` is another slot; it matters only if slots are not aligned.
    func first(atOrAfter moment: WallMoment, phase: WallMoment) -> WallMoment? {
        var from = moment
        for _ in 0..<Self.mostStretches {
            guard let stretch = stretch(atOrAfter: from) else { return nil }
            if let first = first(in: stretch, phase: phase) { return first }
            from = stretch.upperBound
        }
        return nil
    }

    /// Returns the first stretch that ends after a moment, without the time before that moment; `nil` if there is none.
    func stretch(atOrAfter moment: WallMoment) -> Range<WallMoment>? {
        guard followsWallClock else { return moment..<max(moment, .distantFuture) }
        let day = moment..<moment + .seconds(Int64.secondsPerDay)
        guard moment < .distantFuture, let open = openHours.map({ $0.range(atOrAfter: moment, zone) }) ?? day else {
            return nil
        }
        let from = max(moment, open.lowerBound)
        let change = isAligned ? zone.change(from: from, to: open.upperBound) : nil
        return from..<(change ?? open.upperBound)
    }

    /// Returns the first slot in a stretch.
    private func first(in stretch: Range<WallMoment>, phase: WallMoment) -> WallMoment? {
        let (interval, from) = (interval.nanoseconds, stretch.lowerBound)
        let offset = Int64(zone.utcOffset(from.seconds)) * .nanosecondsPerSecond
        let phase = isAligned ? 0 - offset : phase.nanoseconds
        let wait = (phase.remainder(modulo: interval) - from.nanoseconds.remainder(modulo: interval))
        let first = from + .nanoseconds(wait.remainder(modulo: interval))
        return first < stretch.upperBound ? first : nil
    }
}
