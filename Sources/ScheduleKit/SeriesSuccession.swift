// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The way in which a running series continues after its settings changed.
package enum SeriesSuccession: Sendable, Hashable {
    /// The series keeps its phase.
    case samePhase
    /// The series continues at the next moment of the new schedule.
    case newPhase

    /// Compares the schedules before and after the change.
    package init(from earlier: Schedule, to later: Schedule) {
        self = later.hasMoments(of: earlier) ? .samePhase : .newPhase
    }
}
