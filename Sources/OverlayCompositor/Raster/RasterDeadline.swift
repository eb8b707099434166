// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The time limit of a request: processor time, and twelve times as much wall time, at most 60 s.
///
/// The wall time is longer, because the process gets less processor time on a busy machine.
package struct RasterDeadline {
    /// A limit of a request.
    package enum Limit: Sendable, Hashable {
        /// The processor time that the process may use.
        case processorTime
        /// The time until the answer.
        case wallTime
    }

    private let processorTime: Duration
    private let usedProcessorTime: () -> Duration
    private let end: SuspendingClock.Instant
    private let now: () -> SuspendingClock.Instant

    /// Starts the time of a request.
    ///
    /// - Parameters:
    ///   - limit: The processor time that the process may use from now on.
    ///   - usedProcessorTime: Returns the processor time that the process has used since its start.
    ///   - now: Reads the clock for the wall time. It stops while the machine is suspended, as the process does.
    package init(
        _ limit: Duration, usedProcessorTime: @escaping () -> Duration,
        now: @escaping () -> SuspendingClock.Instant = { .now }
    ) {
        processorTime = usedProcessorTime() + limit
        self.usedProcessorTime = usedProcessorTime
        end = now() + Self.wallTime(for: limit)
        self.now = now
    }

    /// The smaller of the remaining processor time and the remaining wall time; the deadline has passed if it is not
    /// positive.
    package var left: Duration { min(processorTime - usedProcessorTime(), end - now()) }

    /// The limit that the request has reached, processor time first; `nil` if the deadline has not passed.
    package var reached: Limit? {
        if processorTime <= usedProcessorTime() { return .processorTime }
        return end <= now() ? .wallTime : nil
    }

    /// Returns the wall time of a request with a limit of processor time.
    static func wallTime(for limit: Duration) -> Duration { min(limit * 12, mostWallTime) }

    /// The longest wall time of a request. It is also the alarm with which `gst-capture-raster` ends itself.
    package static let mostWallTime = Duration.seconds(60)
}
