// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import ClipList
import PipelineKit
import TerminalKit

extension Wording {
    /// Returns the line about the film of a day: `film films/2026-12-01.mp4: 1438 pictures, 0:48, lacks 2`.
    static func film(_ film: StoredClip) -> String {
        var parts = [count(film.frameCount ?? 0, "picture")]
        if let duration = film.duration { parts.append(duration.clockText) }
        if let lacks = film.droppedCount, lacks > 0 { parts.append("lacks \(lacks)") }
        return "film \(film.path.withoutControls): \(parts.joined(separator: ", "))"
    }

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
