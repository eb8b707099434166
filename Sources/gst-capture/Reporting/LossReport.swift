// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// Limits the reports of missed slots and failed pictures, so that they do not fill a journal. The first one of a cause
/// is reported at once. Further ones with the same cause are summed up, once a minute and when the cause ends. Pure: it
/// has no clock.
struct LossReport: Sendable {
    private struct Cause {
        let text: String
        /// `true` if pictures failed, of which a slot can have several; `false` if slots were missed.
        let isFailure: Bool
        /// When the cause was last reported.
        var reported: ClockTime
        /// The number of slots or pictures that are not reported yet.
        var count = 0
        /// The index of the last slot.
        var last = 0
    }

    private var cause: Cause?
    private static let pause = Duration.seconds(60)

    /// Applies an event.
    ///
    /// - Returns: A line to print before the event, if any, and whether to print the event itself.
    mutating func record(_ event: CaptureEvent, at now: ClockTime) -> (summary: String?, isReported: Bool) {
        switch event {
        case .missed(let slots, let reason): lose(reason.rawValue, isFailure: false, slots.count, slots.last.index, now)
        // The message is compared alone: the file in the subject of an error is different each time.
        case .failed(let slot, let error): lose(error.message, isFailure: true, 1, slot.index, now)
        case .captured, .finished, .recovered, .storageResumed: (end(), true)
        default: (nil, true)
        }
    }

    private mutating func lose(
        _ text: String, isFailure: Bool, _ count: Int, _ last: Int, _ now: ClockTime
    ) -> (String?, Bool) {
        guard cause?.text == text else {
            let summary = end()
            cause = Cause(text: text, isFailure: isFailure, reported: now)
            return (summary, true)
        }
        cause?.count += count
        cause?.last = last
        guard let reported = cause?.reported, now - reported >= Self.pause else { return (nil, false) }
        let summary = summary
        cause?.reported = now
        cause?.count = 0
        return (summary, false)
    }

    private mutating func end() -> String? {
        defer { cause = nil }
        return summary
    }

    private var summary: String? {
        guard let cause, cause.count > 0 else { return nil }
        let slot = "to slot \(cause.last + 1)"
        if cause.isFailure {
            return "\(Wording.count(cause.count, "more picture")) failed, \(slot), for the same reason"
        }
        return "\(Wording.count(cause.count, "more slot")), \(slot), without picture for the same reason"
    }
}
