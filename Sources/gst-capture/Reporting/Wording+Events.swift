// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

extension Wording {
    /// Returns the notice that replaces dropped reports.
    static func gap(_ count: Int) -> Notice {
        Notice(.reportsDropped, "\(Self.count(count, "report")) dropped here: nothing read them in time")
    }

    /// From this wait on, a time of day is more useful than a duration.
    static let longWait = Duration.seconds(600)

    /// Returns the wait until a moment, `in 3.2 s`; for a long wait the time of day, `02:00:00`, with the date if it is
    /// not today.
    static func moment(_ moment: ClockTime, at now: ClockTime, wall: WallTime = .now()) -> String {
        guard moment - now >= longWait else { return "in \(span(moment - now))" }
        return Timestamp.soon(wall.adding(moment - now), after: wall)
    }

    /// `slot 5 has`, `slots 5 to 19 have`: slots are counted from 1 for people.
    static func slots(_ run: SlotRun) -> String {
        let (first, last) = (run.first.index + 1, run.last.index + 1)
        return first == last ? "slot \(first) has" : "slots \(first) to \(last) have"
    }
}
