// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import Synchronization
import SystemBase

/// Reports that the file of a store has changed, by this process or another one, until it is released.
package final class RecordStoreWatch: Sendable {
    /// The pause before a change is reported. SQLite makes it visible shortly after it wrote the file.
    private static let settling = Duration.milliseconds(250)

    private let watch: FileWatch
    private let pending: Pending

    /// The report of changes that settle.
    private final class Pending: Sendable {
        private let report: @Sendable () async -> Void
        private let alarm = Mutex<Alarm?>(nil)

        init(_ report: @escaping @Sendable () async -> Void) { self.report = report }

        /// Reports a moment later, once for all changes until then.
        func begin() {
            alarm.withLock { alarm in
                guard alarm == nil else { return }
                var next = Alarm()
                next.set(.now + RecordStoreWatch.settling) { [self] in await ring() }
                alarm = next
            }
        }

        func end() { alarm.withLock { $0?.cancel() } }

        private func ring() async {
            alarm.withLock { $0 = nil }
            if !Task.isCancelled { await report() }
        }
    }

    /// Starts watching; `nil` if the folder of the store cannot be read.
    ///
    /// - Parameter report: Called a moment after one or several changes.
    package init?(_ store: RecordStore, report: @escaping @Sendable () async -> Void) {
        let (queue, pending) = (DispatchQueue(label: "gst-capture.records.watch"), Pending(report))
        guard let watch = FileWatch(store.path + "-wal", on: queue, report: { pending.begin() }) else { return nil }
        (self.watch, self.pending) = (watch, pending)
    }

    deinit { pending.end() }
}
