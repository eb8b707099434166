// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// The outcome of a capture.
public struct CaptureSummary: Sendable {
    /// Why a capture ends.
    public typealias Ending = CaptureEnding

    /// Why the capture ended.
    public var ending: Ending = .completed
    /// Pictures that are durable, late ones included.
    public var captured = 0
    /// How many of these are late.
    public var late = 0
    /// Slots without a picture.
    public var missed = 0
    /// Pictures that were chosen, but could not be encoded or stored; a burst that the source cut short counts as one
    /// more.
    public var failed = 0
    /// Pictures of the series, from this run or an earlier one, that were removed because of its limits.
    public var removed = 0
    /// How many of these an outbox had not sent yet.
    public var removedUnsent = 0
    /// Slots of a schedule with an end that the capture did not reach.
    public var unreached = 0
    /// The first error of a picture, if any.
    public var firstFailure: CaptureError?

    /// Creates an empty summary.
    public init() {}
}

extension CaptureSummary {
    /// `true` if a driver hangs: a call that waits for it never returns.
    var isWedged: Bool { if case .failed(let error) = ending { error.code == .wedged } else { false } }

    /// Counts an event.
    package mutating func account(for event: CaptureEvent) {
        switch event {
        case .captured(let still):
            captured += 1
            late += still.isLate ? 1 : 0
        case .missed(let slots, _): missed += slots.count
        case .failed(_, let error):
            failed += 1
            firstFailure = firstFailure ?? error
        case .removed(let stills):
            removed += stills.count
            removedUnsent += stills.count(where: \.isUnsent)
        default: break
        }
    }
}
