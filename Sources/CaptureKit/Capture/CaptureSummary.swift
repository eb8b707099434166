// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What became of a capture.
public struct CaptureSummary: Sendable {
    /// Why it ended.
    public enum Ending: Sendable, Hashable {
        /// All slots are accounted for.
        case completed
        /// Somebody asked it to stop.
        case stopped
        /// It could not go on.
        case failed(CaptureError)
    }

    /// Why it ended.
    public var ending: Ending = .completed
    /// Pictures that are durable, late ones included.
    public var captured = 0
    /// Of these, how many are late.
    public var late = 0
    /// Slots without a picture.
    public var missed = 0
    /// Pictures that were chosen, but could not be made or stored; a burst that the source cut short is one more.
    public var failed = 0
    /// Pictures of the series that were removed because of its limits, of this run or an earlier one.
    public var removed = 0
    /// Slots of a schedule with an end that were never come to.
    public var unreached = 0
    /// The first error of a picture, if any.
    public var firstFailure: CaptureError?

    /// A summary of nothing.
    public init() {}
}

extension CaptureSummary {
    /// True where a driver hangs: what waits for it waits for ever.
    var isWedged: Bool { if case .failed(let error) = ending { error.code == .wedged } else { false } }

    /// Counts what an event tells.
    mutating func account(for event: CaptureEvent) {
        switch event {
        case .captured(let still):
            captured += 1
            late += still.isLate ? 1 : 0
        case .missed(let slots, _): missed += slots.count
        case .failed(_, let error):
            failed += 1
            firstFailure = firstFailure ?? error
        case .removed(let stills): removed += stills.count
        default: break
        }
    }
}
