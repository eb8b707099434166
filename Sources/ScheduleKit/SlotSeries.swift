// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Steps through the slots of a schedule, with numbers that continue those of earlier slots. Pure.
///
/// The series counts by the wall clock of its time line, which continues during suspension, so that the phase survives
/// it. When the wall clock is set, slots by the wall clock (aligned, in open hours, or before a pending start) move to
/// its new time. Slots of a plain interval, and a single slot, keep their moments on the monotonic clock.
package struct SlotSeries: Sendable {
    package let schedule: Schedule
    package private(set) var timeLine: TimeLine
    /// The number of the next slot.
    package private(set) var index: Int
    private let grid: SlotGrid?

    /// The moment from which slots are counted.
    package private(set) var anchor = WallMoment.distantPast
    private var isStarted = false
    /// The moment before which no slot is due.
    private var floor = WallMoment.distantPast
    /// When the next slot is due, and the one after it.
    private var moment: WallMoment?
    private var following: WallMoment?
    /// The stretch of time that contains `following`.
    private var stretch: Range<WallMoment>?
    private var start: WallMoment?
    private var until: WallMoment?
    /// The index of the last slot plus 1; `nil` if the number of slots does not end the series.
    private let indexEnd: Int?

    /// Creates a series that has not begun and has no next slot.
    package init(_ schedule: Schedule, firstIndex: Int = 0, timeLine: TimeLine = .plain) {
        (self.schedule, self.timeLine, index) = (schedule, timeLine, firstIndex)
        grid = SlotGrid(schedule, timeLine.zone)
        let count = schedule.interval == nil ? 1 : schedule.count
        indexEnd = count.map { firstIndex + min($0, .max - firstIndex) }
    }

    /// `true` if the series has an anchor.
    package var hasBegun: Bool { anchor > .distantPast }

    /// The next slot; `nil` if there is none.
    package var next: Slot? { slot(index, moment) }

    /// The slot after ``next``; `nil` if there is none.
    package var afterNext: Slot? { slot(index + 1, following) }

    private func slot(_ index: Int, _ moment: WallMoment?) -> Slot? {
        guard let moment, index < indexEnd ?? .max, moment < end else { return nil }
        return Slot(index: index, due: timeLine.clock(moment), moment: moment)
    }

    private var end: WallMoment {
        min(schedule.length.map { anchor + $0 } ?? .distantFuture, until ?? .distantFuture)
    }
}

// MARK: Beginning

extension SlotSeries {
    /// Anchors the series at the first slot that is due at `time` or later.
    package mutating func begin(at time: ClockTime) {
        guard !schedule.isOnRequest else { return }
        floor = timeLine.wall(time)
        findTerms(after: floor)
        let first = max(floor, start ?? floor)
        go(to: grid.map { $0.first(atOrAfter: first, phase: start ?? phase(from: first)) } ?? first)
        anchor = moment ?? first
    }

    /// Resumes a series that an earlier run began.
    ///
    /// - Returns: How far the last slot is ahead of the clock, if the clock cannot be right. Then the slots are counted from
    ///   now, as if the last one had been due now: it would be silent until the clock reaches that slot.
    @discardableResult
    package mutating func resume(_ position: SeriesPosition, at time: ClockTime) -> Duration? {
        let lead = pass(through: position, at: time)
        // The anchor is not before the start, and a series with slots begins before its end.
        until = schedule.until?.moment(after: anchor, timeLine.zone)
        let phase = isStarted ? floor - .nanoseconds(1) : anchor
        go(to: grid.map { $0.first(atOrAfter: floor, phase: phase) } ?? (isStarted ? nil : anchor))
        return lead
    }

    /// - Returns: As ``resume(_:at:)``.
    private mutating func pass(through position: SeriesPosition, at time: ClockTime) -> Duration? {
        let found = position.lead(over: timeLine.wall(time), schedule)
        let lead = found ?? .zero
        anchor = WallMoment(position.anchor) - lead
        // The numbers of the position are unchecked: their sums must not overflow.
        index = max(-1, min(position.lastIndex, .max / 4)) + 1
        isStarted = index > 0
        floor = isStarted ? WallMoment(position.lastDue) - lead + .nanoseconds(1) : anchor
        return found
    }

    /// Continues the numbering of a series whose slots were due at other moments. Intervals are counted from `time`.
    package mutating func begin(at time: ClockTime, after position: SeriesPosition) {
        _ = pass(through: position, at: time)
        floor = max(timeLine.wall(time), floor)
        // A start that has passed for the earlier series stays in the past.
        start = schedule.start?.moment(after: anchor - .seconds(1), timeLine.zone)
        let first = max(floor, start ?? floor)
        until = end(after: first)
        go(to: grid.map { $0.first(atOrAfter: first, phase: start ?? phase(from: first)) } ?? first)
    }

    private mutating func findTerms(after moment: WallMoment) {
        start = schedule.start?.moment(after: moment, timeLine.zone)
        until = end(after: max(moment, start ?? moment))
    }

    /// Returns the first moment after `first` at which the schedule ends, but not before its hours open.
    private func end(after first: WallMoment) -> WallMoment? {
        schedule.until?.moment(after: phase(from: first), timeLine.zone)
    }

    /// Returns `moment`, or the start of the next open time, because a series begins when its hours open.
    private func phase(from moment: WallMoment) -> WallMoment {
        grid?.stretch(atOrAfter: moment)?.lowerBound ?? moment
    }

    private mutating func go(to moment: WallMoment?) {
        self.moment = moment
        stretch = nil
        following = moment.flatMap { next(after: $0) }
    }
}

// MARK: Stepping

extension SlotSeries {
    /// Makes ``afterNext`` the next slot.
    package mutating func advance() {
        guard let moment else {
            index += 1
            return
        }
        pass(1, through: moment)
        self.moment = following
        following = following.flatMap { next(after: $0) }
    }

    private mutating func pass(_ count: Int, through last: WallMoment) {
        index += count
        isStarted = true
        floor = last + .nanoseconds(1)
    }

    private mutating func next(after moment: WallMoment) -> WallMoment? {
        guard let grid else { return nil }
        let next = moment + grid.interval
        if let stretch, stretch.contains(moment), stretch.contains(next) { return next }
        let found = grid.first(atOrAfter: moment + .nanoseconds(1), phase: moment)
        stretch = found.flatMap { grid.stretch(atOrAfter: $0) }
        return found
    }

    /// Skips all slots that are due before a moment, and returns them.
    package mutating func skip(before time: ClockTime) -> SlotRun? {
        guard let first = next, let due = slots(before: timeLine.wall(time)) else { return nil }
        return skip(due.count, from: first, through: due.last)
    }

    /// Skips all slots that are due by now except the last one, which can still be met. Returns the skipped slots.
    package mutating func skip(untilLatestBy now: ClockTime) -> SlotRun? {
        guard let first = next, afterNext.map({ $0.due <= now }) ?? false,
            let due = slots(before: timeLine.wall(now) + .nanoseconds(1)), let last = due.previous
        else { return nil }
        return skip(due.count - 1, from: first, through: last)
    }

    private mutating func skip(_ count: Int, from first: Slot, through moment: WallMoment) -> SlotRun? {
        guard let last = slot(index + count - 1, moment) else { return nil }
        pass(count, through: moment)
        go(to: next(after: moment))
        return SlotRun(from: first, through: last)
    }

    /// The number of slots left; `nil` if there is no end, if it is beyond the range of dates, or for a schedule on
    /// request.
    package var remaining: Int? {
        guard !schedule.isOnRequest else { return nil }
        guard next != nil else { return 0 }
        return end < .distantFuture ? slots(before: end)?.count ?? 0 : indexEnd.map { max(0, $0 - index) }
    }

    /// Returns the number of slots that are due before a moment, from the next one on, and the moments of the last two.
    private func slots(before limit: WallMoment) -> (count: Int, last: WallMoment, previous: WallMoment?)? {
        guard let moment, next != nil, moment < limit else { return nil }
        let (limit, most) = (min(limit, end), indexEnd.map { $0 - index } ?? .max)
        var (count, last, previous) = (1, moment, WallMoment?.none)
        guard let grid else { return (count, last, previous) }
        while count < most, let first = grid.first(atOrAfter: last + .nanoseconds(1), phase: last), first < limit,
            let stretch = grid.stretch(atOrAfter: first)
        {
            let span: Duration = min(limit, stretch.upperBound) - first
            let more = min(Int((span.nanoseconds - 1) / grid.interval.nanoseconds) + 1, most - count)
            let newest = first + grid.interval * (more - 1)
            (previous, last) = (more > 1 ? newest - grid.interval : last, newest)
            count += more
        }
        return (count, last, previous)
    }
}

// MARK: Clocks

extension SlotSeries {
    /// Accounts for a suspension of the machine: slots that were due meanwhile are overdue now.
    package mutating func suspend(_ span: Duration) { timeLine.origin = timeLine.origin + span }

    /// Adopts a time line after the wall clock was set, and moves the slots that follow the wall clock.
    ///
    /// - Parameter isInHand: `true` if the next slot is being captured: then it stays, and those after it follow.
    package mutating func set(_ timeLine: TimeLine, at now: ClockTime, isInHand: Bool) {
        let step = timeLine.origin - self.timeLine.origin
        self.timeLine = timeLine
        anchor = anchor + step
        floor = floor + step
        (moment, following) = (moment.map { $0 + step }, following.map { $0 + step })
        stretch = nil
        updateTerms(after: timeLine.wall(now), step)
        guard let grid, let moment, grid.followsWallClock || start != nil && !isStarted else { return }
        guard !isInHand else {
            following = grid.first(atOrAfter: max(moment, timeLine.wall(now)) + .nanoseconds(1), phase: moment)
            return
        }
        follow(grid, moment, timeLine.wall(now))
    }

    private mutating func follow(_ grid: SlotGrid, _ moment: WallMoment, _ now: WallMoment) {
        let from = max(floor, now)
        guard !isStarted, let start else { return go(to: grid.first(atOrAfter: from, phase: moment)) }
        go(to: grid.first(atOrAfter: max(from, start), phase: start))
        anchor = self.moment ?? start
    }

    /// Computes ``start`` and ``until`` again if the clock moved by half a day or more: it showed another day before.
    private mutating func updateTerms(after now: WallMoment, _ step: Duration) {
        guard step >= .seconds(43200) || step <= .seconds(-43200) else { return }
        guard isStarted else { return findTerms(after: now) }
        start = start.map { $0 + step }
        until = end(after: now)
    }
}
