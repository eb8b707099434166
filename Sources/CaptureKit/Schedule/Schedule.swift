// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// When pictures are due: every interval from an anchor on, whatever happened before, or at such times of the wall clock.
///
/// A late shot never moves the next. Or there are no such slots, and each picture is asked for.
///
/// Without terms of the wall clock (``isAligned``, ``openHours``) slot k is due at anchor + k × interval of the monotonic
/// clock. With them, slots follow the wall clock, its daylight saving, and whoever sets it.
public struct Schedule: Sendable, Hashable {
    /// The time from one slot to the next; `nil` for a single slot.
    public let interval: Duration?
    /// How many slots there are; `nil` for no end by number.
    public let count: Int?
    /// Slots due this long after the anchor, or later, are no more; `nil` for no end by time.
    public let length: Duration?

    /// True where nothing is due by itself; then `count` and `length` say when enough was asked for.
    public let isOnRequest: Bool

    /// True where slots are due when the local clock shows multiples of the interval, counted from midnight.
    public var isAligned = false
    /// No slot is due before; intervals are counted from it, even where it is over. `nil` for as soon as there are pictures.
    public var start: WallClockTarget?
    /// Slots due then or later are no more; a time of day is the first one after the anchor.
    public var until: WallClockTarget?
    /// Moments outside of these hours are no slots; `nil` for all day, every day.
    public var openHours: OpenHours?
    /// What becomes of slots that cannot be met in time.
    public var latePolicy = LatePolicy.late

    private init(interval: Duration?, count: Int?, length: Duration?, isOnRequest: Bool = false) {
        self.interval = interval
        self.count = count
        self.length = length
        self.isOnRequest = isOnRequest
    }

    /// One picture.
    public static let single = Schedule(interval: nil, count: 1, length: nil)

    /// A picture whenever one is asked for (``CaptureController/trigger()``).
    ///
    /// - Parameters:
    ///   - count: The number of pictures after which it ends, if that ends it.
    ///   - length: The time after which it ends, if that ends it.
    public static func onRequest(count: Int? = nil, for length: Duration? = nil) -> Schedule {
        Schedule(interval: nil, count: count.map { max(1, $0) }, length: length, isOnRequest: true)
    }

    /// A picture every `interval`, which is at least a millisecond.
    ///
    /// - Parameters:
    ///   - count: The number of slots, if that ends it.
    ///   - length: The time after which no slot is due, if that ends it.
    public static func every(_ interval: Duration, count: Int? = nil, for length: Duration? = nil) -> Schedule {
        Schedule(interval: max(interval, .milliseconds(1)), count: count.map { max(1, $0) }, length: length)
    }
}

extension Schedule {
    /// True where there is one picture at most.
    var isOnePicture: Bool { isOnRequest ? count == 1 : isSingle }

    /// True where there is one slot, or the schedule can tell so by itself.
    var isSingle: Bool {
        guard !isOnRequest, let interval else { return !isOnRequest }
        return count == 1 || length.map { $0 <= interval && !isAligned && openHours == nil } ?? false
    }

    /// True where its first slot may be later than its beginning.
    var awaitsWallClock: Bool { isAligned || start != nil || openHours != nil }

    /// True where slots of both are due at the same moments, be their ends as they may.
    func hasMoments(of other: Schedule) -> Bool {
        interval == other.interval && isAligned == other.isAligned && start == other.start
            && openHours == other.openHours
    }

    /// When the first slot is due, if it begins now or goes on; `nil` where there is none, or it is asked for.
    public func firstDue(
        goingOn position: SeriesPosition? = nil, on timeLine: TimeLine = .current(),
        from now: ClockTime = PipelineClock.system.now
    ) -> ClockTime? {
        begun(position, timeLine, now).next?.due
    }

    /// How many slots there are in all, if it begins now or goes on; `nil` where there is no end, or they are asked for.
    public func total(
        goingOn position: SeriesPosition? = nil, on timeLine: TimeLine = .current(),
        from now: ClockTime = PipelineClock.system.now
    ) -> Int? {
        let series = begun(position, timeLine, now)
        return series.remaining.map { series.index + $0 }
    }

    private func begun(_ position: SeriesPosition?, _ timeLine: TimeLine, _ now: ClockTime) -> SlotSeries {
        var series = SlotSeries(self, timeLine: timeLine)
        if let position { series.resume(position) } else { series.begin(at: now) }
        return series
    }

    /// When the slot after one that is due at `time` is due; `nil` where there is none. It does not know of an end.
    public func due(after time: ClockTime, on timeLine: TimeLine = .current()) -> ClockTime? {
        guard let grid = SlotGrid(self, timeLine.zone) else { return nil }
        let moment = timeLine.wall(time)
        return grid.first(atOrAfter: moment + .nanoseconds(1), phase: moment).map(timeLine.clock)
    }
}
