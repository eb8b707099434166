// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import Synchronization

/// Reports changes of the store of an outbox, at most one a second, without polling (`inotify(7)`). Reading the store is
/// no change. The store is watched only while a stream has a reader. Any thread may use a watch.
package final class OutboxWatch: Sendable {
    private struct State {
        var changeCount = 0
        var lastReader = 0
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var watch: FileWatch?
        /// The state of the files at the last report.
        var stamp: DatabaseStamp?
        /// `true` if a report is due at a later moment.
        var isDue = false
        /// `true` if a report is due although the files may be as before.
        var isForced = false
        /// The moment of the last report.
        var last = DispatchTime(uptimeNanoseconds: 0)
    }

    private let folder: String
    private let queue = DispatchQueue(label: "gst-capture.outbox.changes")
    private let state = Mutex(State())

    /// The pause before a report. SQLite makes a change visible shortly after it has written the file.
    private static let settling = DispatchTimeInterval.milliseconds(250)
    private static let interval = DispatchTimeInterval.seconds(1)

    /// - Parameter folder: The folder of the store.
    package init(folder: String) { self.folder = folder }

    /// The number of changes that were reported.
    package var changeCount: Int { state.withLock { $0.changeCount } }

    /// Returns a stream with an element for each change, or for several that its reader has not read yet.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reader = state.withLock { state in
            if state.watch == nil {
                state.watch = FileWatch(folder: folder, on: queue) { [weak self] in self?.schedule() }
                state.stamp = stamp
            }
            state.lastReader += 1
            state.readers[state.lastReader] = continuation
            return state.lastReader
        }
        continuation.onTermination = { [weak self] _ in self?.remove(reader) }
        return stream
    }

    /// Reports that a ledger may have a new picture: while a target fails, this does not change the store.
    package func pictureStored() {
        let isWatched = state.withLock { state in
            state.isForced = !state.readers.isEmpty
            return state.isForced
        }
        if isWatched { schedule() }
    }

    private var stamp: DatabaseStamp { DatabaseStamp(folder + "/" + OutboxStore.fileName) }

    private func remove(_ reader: Int) {
        state.withLock { state in
            state.readers[reader] = nil
            if state.readers.isEmpty { state.watch = nil }
        }
    }

    private func schedule() {
        let time: DispatchTime? = state.withLock { state in
            guard !state.isDue else { return nil }
            state.isDue = true
            return max(.now() + Self.settling, state.last + Self.interval)
        }
        if let time { queue.asyncAfter(deadline: time) { [weak self] in self?.report() } }
    }

    private func report() {
        let stamp = stamp
        let readers = state.withLock { state in
            state.isDue = false
            guard stamp != state.stamp || state.isForced else { return [AsyncStream<Void>.Continuation]() }
            (state.stamp, state.last, state.isForced) = (stamp, .now(), false)
            state.changeCount += 1
            return Array(state.readers.values)
        }
        // Outside of the lock: canceling the task of a reader waits for its wakeup, and takes the lock.
        for reader in readers { reader.yield() }
    }
}
