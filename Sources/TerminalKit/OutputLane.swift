// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Synchronization

/// Writes reports in order on a separate thread: a reader that stalls delays neither pictures nor hooks nor signals.
///
/// Up to 10,000 reports wait for the reader. Further ones are dropped and counted: the next report that is written is
/// preceded by one with the number of dropped reports, and the exit status is 74 instead of 0.
package final class OutputLane: Sendable {
    private struct Backlog {
        var count = 0
        var leftOut = 0
    }

    private static let capacity = 10_000

    private let queue = DispatchQueue(label: "gst-capture.output")
    private let backlog = Mutex(Backlog())
    private let reportGap: @Sendable (Int) -> Void

    /// Creates a lane.
    ///
    /// - Parameter reportGap: Writes the number of dropped reports.
    package init(reportGap: @escaping @Sendable (Int) -> Void) { self.reportGap = reportGap }

    /// `true` if all reports are written.
    package var isIdle: Bool { backlog.withLock { $0.count == 0 } }

    /// Writes a report after all earlier ones.
    ///
    /// - Parameter isVital: `true` for reports that are never dropped.
    package func add(isVital: Bool = false, _ write: @escaping @Sendable () -> Void) {
        let gap: Int? = backlog.withLock { backlog in
            guard isVital || backlog.count < Self.capacity else {
                backlog.leftOut += 1
                return nil
            }
            backlog.count += 1
            defer { backlog.leftOut = 0 }
            return backlog.leftOut
        }
        guard let gap else { return }
        queue.async { [self] in
            if gap > 0 { writeGap(gap) }
            write()
            backlog.withLock { $0.count -= 1 }
        }
    }

    private func writeGap(_ gap: Int) {
        StandardStream.recordGap()
        reportGap(gap)
    }

    /// Waits until all reports are written.
    ///
    /// - Parameter limit: How long to wait for a reader that stalls; the rest is lost then. `nil` to wait without a
    ///   limit.
    package func finish(within limit: Duration?) async {
        let (written, end) = AsyncStream.makeStream(of: Never.self)
        queue.async { [self] in
            let gap = backlog.withLock { $0.leftOut }
            if gap > 0 { writeGap(gap) }
            end.finish()
        }
        // Canceled, and waited for, when this returns.
        async let _: Void = giveUp(after: limit) { end.finish() }
        for await _ in written {}
    }

    private func giveUp(after limit: Duration?, _ end: () -> Void) async {
        guard let limit, (try? await Task.sleep(for: limit)) != nil else { return }
        StandardStream.waitNoLonger()
        // Another process may have filled the pipe in the middle of a write.
        if (try? await Task.sleep(for: .seconds(1))) != nil { end() }
    }
}
