// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Walks the slots of a schedule from one to the next, numbered on from those that were before. Pure.
///
/// It counts by the wall clock of its time line, where a suspended machine's time goes on: its phase outlives suspension.
/// Where the wall clock is set, a plain interval moves with it, so that nothing changes; all else follows.
struct SlotSeries: Sendable {
    let schedule: Schedule
    private(set) var timeLine: TimeLine
    /// The number of the next slot.
    private(set) var index: Int
    private let grid: SlotGrid?

    /// From when the slots are counted.
    private(set) var anchor = WallMoment.distantPast
    private var isStarted = false
    /// No slot is due before.
    private var floor = WallMoment.distantPast
    /// When the next slot is due, and the one after it.
    private var moment: WallMoment?
    private var following: WallMoment?
    /// The stretch of time in which the one after it is.
    private var stretch: Range<WallMoment>?
    private var start: WallMoment?
    private var until: WallMoment?
    /// The number of the slot after the last, if the number ends it.
    private let indexEnd: Int?

    /// A series that has not begun: it has no next slot.
    init(_ schedule: Schedule, firstIndex: Int = 0, timeLine: TimeLine = .plain) {
        (self.schedule, self.timeLine, index) = (schedule, timeLine, firstIndex)
        grid = SlotGrid(schedule, timeLine.zone)
        indexEnd = schedule.interval == nil ? firstIndex + 1 : schedule.count.map { firstIndex + $0 }
    }

    /// True from when it is anchored.
    var hasBegun: Bool { anchor > .distantPast }

    /// The next slot; `nil` where there is none.
    var next: Slot? { slot(index, moment) }

    /// The slot after the next; `nil` where there is none.
    var afterNext: Slot? { slot(index + 1, following) }

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
    /// Anchors it at the first slot that is due then or later.
    mutating func begin(at time: ClockTime) {
        guard !schedule.isOnRequest else { return }
        floor = timeLine.wall(time)
        findTerms(after: floor)
        let first = max(floor, start ?? floor)
        go(to: grid.map { $0.first(atOrAfter: first, phase: start ?? phase(from: first)) } ?? first)
        anchor = moment ?? first
    }

    /// Goes on with a series that an earlier run began.
    mutating func resume(_ position: SeriesPosition) {
        anchor = WallMoment(position.anchor)
        findTerms(after: anchor)
        start = nil
        // Numbers are somebody else's: sums of them must not overflow.
        index = max(-1, min(position.lastIndex, .max / 4)) + 1
        isStarted = index > 0
        let last = WallMoment(position.lastDue)
        floor = isStarted ? last + .nanoseconds(1) : anchor
        go(to: grid.map { $0.first(atOrAfter: floor, phase: isStarted ? last : anchor) } ?? (isStarted ? nil : anchor))
    }

    private mutating func findTerms(after moment: WallMoment) {
        start = schedule.start?.moment(after: moment, timeLine.zone)
        until = schedule.until?.moment(after: max(moment, start ?? moment), timeLine.zone)
    }

    /// What is not open yet begins when it opens.
    private func phase(from moment: WallMoment) -> WallMoment {
        grid?.stretch(atOrAfter: moment)?.lowerBound ?? moment
    }

    private mutating func go(to moment: WallMoment?) {
        self.moment = moment
        stretch = nil
        following = moment.flatMap { next(after: $0) }
    }
}

// MARK: Going on

extension SlotSeries {
    /// The next slot is over.
    mutating func advance() {
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

    /// Passes all slots that are due before a moment; answers which.
    mutating func skip(before time: ClockTime) -> SlotRun? {
        guard let first = next, let due = slots(before: timeLine.wall(time)) else { return nil }
        return skip(due.count, from: first, through: due.last)
    }

    /// Passes all slots but the last of those that are due by now: that one can still be met. Answers which.
    mutating func skip(untilLatestBy now: ClockTime) -> SlotRun? {
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

    /// How many slots are left; `nil` where there is no end, or it is too far away to be seen.
    var remaining: Int? {
        guard !schedule.isOnRequest else { return nil }
        guard next != nil else { return 0 }
        return end < .distantFuture ? slots(before: end)?.count ?? 0 : indexEnd.map { max(0, $0 - index) }
    }

    /// The slots from the next one on that are due before a moment: how many, and when the last two are.
    private func slots(before limit: WallMoment) -> (count: Int, last: WallMoment, previous: WallMoment?)? {
        guard let moment, next != nil, moment < limit else { return nil }
        let (limit, most) = (min(limit, end), indexEnd.map { $0 - index } ?? .max)
        var (count, last, previous) = (1, moment, WallMoment?.none)
        guard let grid else { return (count, last, previous) }
        while count < most, let first = grid.first(atOrAfter: last + .nanoseconds(1), phase: last), first < limit,
            let stretch = grid.stretch(atOrAfter: first)
        {
            let span = (min(limit, stretch.upperBound) - .nanoseconds(1)) - first
            let more = min(Int(span.nanoseconds / grid.interval.nanoseconds) + 1, most - count)
            let newest = first + grid.interval * (more - 1)
            (previous, last) = (more > 1 ? newest - grid.interval : last, newest)
            count += more
        }
        return (count, last, previous)
    }
}

// MARK: Clocks

extension SlotSeries {
    /// The machine was suspended for so long: what was due meanwhile is due by now.
    mutating func suspend(_ span: Duration) { timeLine.origin = timeLine.origin + span }

    /// The wall clock was set.
    ///
    /// - Parameter isInHand: True where the next slot is being taken: then it stays, and those after it follow.
    mutating func set(_ timeLine: TimeLine, at now: ClockTime, isInHand: Bool) {
        let step = timeLine.origin - self.timeLine.origin
        self.timeLine = timeLine
        anchor = anchor + step
        floor = floor + step
        (moment, following) = (moment.map { $0 + step }, following.map { $0 + step })
        stretch = nil
        findTermsAnew(after: timeLine.wall(now), step)
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

    /// A clock that was wrong by half a day or more had another day: times of day are looked for anew.
    private mutating func findTermsAnew(after now: WallMoment, _ step: Duration) {
        guard step >= .seconds(43200) || step <= .seconds(-43200) else { return }
        let (start, isStarted) = (start, isStarted)
        findTerms(after: now)
        if isStarted { self.start = start.map { $0 + step } }
    }
}
