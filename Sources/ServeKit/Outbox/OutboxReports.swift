// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// The reports of all targets of an outbox: at first the present ones, then new ones after each change, at most once in
/// a pause. For one iterator. Nothing is read without a change.
struct OutboxReports: AsyncSequence, Sendable {
    typealias Element = [TargetReport]
    typealias Failure = Never

    private let outbox: ServiceOutbox
    private let pause: Duration
    private let report: @Sendable (CaptureError) -> Void

    /// - Parameters:
    ///   - pause: The shortest time between two readings of the store.
    ///   - report: Receives an error of the store, once until it can be read.
    init(
        _ outbox: ServiceOutbox, pause: Duration = .seconds(10), report: @escaping @Sendable (CaptureError) -> Void
    ) {
        (self.outbox, self.pause, self.report) = (outbox, pause, report)
    }

    func makeAsyncIterator() -> Iterator { Iterator(outbox, pause, report) }

    /// Watches the store until it is released.
    struct Iterator: AsyncIteratorProtocol {
        typealias Failure = Never

        private let outbox: ServiceOutbox
        private let pause: Duration
        private let report: @Sendable (CaptureError) -> Void
        private let changes: AsyncStream<Void>
        private var lastReading: ContinuousClock.Instant?
        private var error: CaptureError?

        fileprivate init(
            _ outbox: ServiceOutbox, _ pause: Duration, _ report: @escaping @Sendable (CaptureError) -> Void
        ) {
            (self.outbox, self.pause, self.report) = (outbox, pause, report)
            changes = outbox.watch.changes()
        }

        /// Waits for a change, and returns the reports; `nil` after the task was canceled.
        mutating func next() async -> [TargetReport]? {
            if lastReading == nil, let reports = await read() { return reports }
            for await _ in changes {
                if let lastReading {
                    let left = ContinuousClock.now.duration(to: lastReading.advanced(by: pause))
                    if left > .zero, (try? await Task.sleep(for: left)) == nil { return nil }
                }
                if let reports = await read() { return reports }
            }
            return nil
        }

        /// Returns `nil` if the store cannot be read.
        private mutating func read() async -> [TargetReport]? {
            lastReading = .now
            do throws(CaptureError) {
                let reports = try await outbox.reports()
                error = nil
                return reports
            } catch {
                if error != self.error { report(error) }
                self.error = error
                return nil
            }
        }
    }
}
#endif
