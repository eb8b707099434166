// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The end of the time for a request. A drawing that needs too much processor time reaches it, but not one that waits for
/// other programs on a busy machine.
package struct RasterDeadline {
    private let processorTime: Duration
    private let usedProcessorTime: () -> Duration
    private let end: ContinuousClock.Instant

    /// Starts the time of a request.
    ///
    /// - Parameters:
    ///   - limit: The processor time that the process may use from now on. It may take `patience` times as long.
    ///   - usedProcessorTime: The processor time that the process has used since its start.
    package init(_ limit: Duration, usedProcessorTime: @escaping () -> Duration) {
        processorTime = usedProcessorTime() + limit
        self.usedProcessorTime = usedProcessorTime
        end = .now + limit * Self.patience
    }

    /// The shortest time in which the deadline can be reached. It has passed if this is not positive.
    package var left: Duration { min(processorTime - usedProcessorTime(), end - .now) }

    // Twelve times the usual limit of 5 s is the alarm with which the process ends itself.
    private static let patience = 12
}
