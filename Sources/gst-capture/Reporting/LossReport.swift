// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Says why slots have no picture without filling a journal: the first of a cause at once, and those that follow for the
/// same cause summed up, once a minute and when it is over. Pure: it has no clock of its own.
struct LossReport: Sendable {
    private struct Cause {
        let text: String
        var said: ClockTime
        /// Slots that were not said yet.
        var count = 0
        var last = 0
    }

    private var cause: Cause?
    private static let pause = Duration.seconds(60)

    /// Takes an event into account.
    ///
    /// - Returns: A line to say before it, if any, and whether the event itself is to be said.
    mutating func take(_ event: CaptureEvent, at now: ClockTime) -> (summary: String?, isSaid: Bool) {
        switch event {
        case .missed(let slots, let reason): lose(reason.rawValue, slots.count, slots.last.index, now)
        // The file that an error is about is another one each time.
        case .failed(let slot, let error): lose(error.message, 1, slot.index, now)
        case .captured, .finished, .recovered, .storageResumed: (end(), true)
        default: (nil, true)
        }
    }

    private mutating func lose(_ text: String, _ count: Int, _ last: Int, _ now: ClockTime) -> (String?, Bool) {
        guard cause?.text == text else {
            let summary = end()
            cause = Cause(text: text, said: now)
            return (summary, true)
        }
        cause?.count += count
        cause?.last = last
        guard let said = cause?.said, now - said >= Self.pause else { return (nil, false) }
        let summary = summary
        cause?.said = now
        cause?.count = 0
        return (summary, false)
    }

    private mutating func end() -> String? {
        defer { cause = nil }
        return summary
    }

    private var summary: String? {
        guard let cause, cause.count > 0 else { return nil }
        return
            "\(Wording.count(cause.count, "more slot")), to slot \(cause.last + 1), without picture for the same reason"
    }
}
