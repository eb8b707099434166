// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a series goes on that was never left alone, as somebody changed its settings.
enum SeriesSuccession: Sendable, Hashable {
    /// With the phase that it had.
    case samePhase
    /// At the next moment of another schedule.
    case newPhase

    /// How a series goes from one schedule to another.
    init(from earlier: Schedule, to later: Schedule) {
        self = later.hasMoments(of: earlier) ? .samePhase : .newPhase
    }
}
