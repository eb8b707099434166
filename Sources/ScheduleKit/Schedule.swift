// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The moments at which pictures are due: every interval from an anchor, regardless of earlier pictures, or times of
/// the wall clock.
///
/// A late picture never moves the next slot. A schedule on request has no such slots: the user requests each picture.
///
/// Without terms of the wall clock (``isAligned``, ``openHours``) slot k is due k × interval after the anchor. Time for
/// which the machine is suspended counts, and setting the wall clock moves no slot. With these terms, slots follow the
/// wall clock, its daylight saving and its corrections.
public struct Schedule: Sendable, Hashable {
    /// The time from one slot to the next; `nil` for a single slot.
    public let interval: Duration?
    /// The number of slots; `nil` if the number does not end the schedule.
    public let count: Int?
    /// The time after the anchor from which no slot is due; `nil` if the time does not end the schedule.
    public let length: Duration?

    /// `true` if pictures are captured on request only; `count` and `length` then limit the requests.
    public let isOnRequest: Bool

    /// `true` if slots are due when the local clock shows multiples of the interval. They are counted from the start of
    /// 1970, and thus from each midnight if the interval divides a day.
    public var isAligned = false
    /// The moment before which no slot is due. Intervals are counted from it, even if it has passed. `nil` to start
    /// when the camera is ready.
    public var start: WallClockTarget?
    /// The moment from which no slot is due. A time of day is the first one after ``start``, or after the series begins
    /// if there is no start.
    public var until: WallClockTarget?
    /// The hours outside of which no slot is due; `nil` for all day, every day.
    public var openHours: OpenHours?
    /// The handling of slots that cannot be met in time.
    public var latePolicy = LatePolicy.late

    private init(interval: Duration?, count: Int?, length: Duration?, isOnRequest: Bool = false) {
        self.interval = interval
        self.count = count
        self.length = length
        self.isOnRequest = isOnRequest
    }

    /// One picture.
    public static let single = Schedule(interval: nil, count: 1, length: nil)

    /// A picture on each request (`CaptureController.trigger()`).
    ///
    /// - Parameters:
    ///   - count: The number of pictures after which the schedule ends; `nil` for no such end.
    ///   - length: The time after which the schedule ends; `nil` for no such end.
    public static func onRequest(count: Int? = nil, for length: Duration? = nil) -> Schedule {
        Schedule(interval: nil, count: count.map { max(1, $0) }, length: length, isOnRequest: true)
    }

    /// A picture every `interval`, which is at least a millisecond.
    ///
    /// - Parameters:
    ///   - count: The number of slots; `nil` for no such end.
    ///   - length: The time after which no slot is due; `nil` for no such end.
    public static func every(_ interval: Duration, count: Int? = nil, for length: Duration? = nil) -> Schedule {
        Schedule(interval: max(interval, .milliseconds(1)), count: count.map { max(1, $0) }, length: length)
    }
}

extension Schedule {
    /// `true` if there is one picture at most.
    package var isOnePicture: Bool { isOnRequest ? count == 1 : isSingle }

    /// `true` if the schedule alone determines that there is one slot.
    package var isSingle: Bool {
        guard !isOnRequest, let interval else { return !isOnRequest }
        return count == 1 || length.map { $0 <= interval && !isAligned && openHours == nil } ?? false
    }

    /// `true` if the first slot may be later than the beginning of the schedule.
    package var awaitsWallClock: Bool { isAligned || start != nil || openHours != nil }

    /// Returns `true` if slots of both schedules are due at the same moments, regardless of their ends.
    func hasMoments(of other: Schedule) -> Bool {
        interval == other.interval && isAligned == other.isAligned && start == other.start
            && openHours == other.openHours
    }

    /// Returns when the first slot is due, for a schedule that begins now or resumes at a position; `nil` if there is
    /// none, or if pictures are captured on request.
    public func firstDue(
        goingOn position: SeriesPosition? = nil, on timeLine: TimeLine = .current(),
        from now: ClockTime = ClockTime.now
    ) -> ClockTime? {
        begun(position, timeLine, now).next?.due
    }

    /// Returns the total number of slots, for a schedule that begins now or resumes at a position; `nil` if there is no
    /// end, or if pictures are captured on request.
    public func total(
        goingOn position: SeriesPosition? = nil, on timeLine: TimeLine = .current(),
        from now: ClockTime = ClockTime.now
    ) -> Int? {
        let series = begun(position, timeLine, now)
        return series.remaining.map { series.index + $0 }
    }

    private func begun(_ position: SeriesPosition?, _ timeLine: TimeLine, _ now: ClockTime) -> SlotSeries {
        var series = SlotSeries(self, timeLine: timeLine)
        if let position { series.resume(position, at: now) } else { series.begin(at: now) }
        return series
    }

    /// Returns when the slot after one that is due at `time` is due; `nil` if there is none. Ignores the end of the
    /// schedule.
    public func due(after time: ClockTime, on timeLine: TimeLine = .current()) -> ClockTime? {
        guard let grid = SlotGrid(self, timeLine.zone) else { return nil }
        let moment = timeLine.wall(time)
        return grid.first(atOrAfter: moment + .nanoseconds(1), phase: moment).map(timeLine.clock)
    }
}

/// The handling of a slot whose moment passed before a frame could be chosen.
public enum LatePolicy: String, Sendable, Hashable, CaseIterable {
    /// A picture is captured late, until the next slot is due.
    case late
    /// No picture is captured: the slot is missed.
    case skip
}
