// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Dispatch
import Glibc
import ScheduleKit
import Synchronization
import UploadKit

/// The reports of all targets of an outbox: at first the present ones, then new ones after each change, at most once in
/// a pause. For one iterator.
///
/// The sender is another process: the kernel reports changes of its store (inotify(7)). While a target fails, a new
/// picture changes only a ledger, so ``pictureStored()`` counts, too. Nothing is read without a change.
struct OutboxWatch: AsyncSequence, Sendable {
    typealias Element = [TargetReport]
    typealias Failure = Never

    private let outbox: ServiceOutbox
    private let pause: Duration
    private let report: @Sendable (CaptureError) -> Void
    private let changes = Changes()

    /// - Parameters:
    ///   - pause: The shortest time between two readings of the store.
    ///   - report: Receives an error of the store, once until it can be read.
    init(
        _ outbox: ServiceOutbox, pause: Duration = .seconds(10), report: @escaping @Sendable (CaptureError) -> Void
    ) {
        (self.outbox, self.pause, self.report) = (outbox, pause, report)
    }

    /// A ledger may have a new picture. Any thread may call it.
    func pictureStored() { changes.add(isPicture: true) }

    func makeAsyncIterator() -> Iterator { Iterator(outbox, pause, changes, report) }

    /// Watches the store until it is released.
    struct Iterator: AsyncIteratorProtocol {
        typealias Failure = Never

        private let outbox: ServiceOutbox
        private let pause: Duration
        private let changes: Changes
        private let report: @Sendable (CaptureError) -> Void
        private let watch: FileWatch?
        private var stamp: StoreStamp?
        private var lastReading: ContinuousClock.Instant?
        private var error: CaptureError?

        fileprivate init(
            _ outbox: ServiceOutbox, _ pause: Duration, _ changes: Changes,
            _ report: @escaping @Sendable (CaptureError) -> Void
        ) {
            (self.outbox, self.pause, self.changes, self.report) = (outbox, pause, changes, report)
            watch = FileWatch(
                folder: DeviceFiles.folder(of: outbox.storePath), on: DispatchQueue(label: "gst-capture.outbox")
            ) { changes.add() }
            changes.add(isPicture: true)
        }

        /// Waits for a change, and returns the reports; `nil` after the task was canceled.
        mutating func next() async -> [TargetReport]? {
            for await _ in changes.signals {
                if let lastReading {
                    let left = ContinuousClock.now.duration(to: lastReading.advanced(by: pause))
                    if left > .zero, (try? await Task.sleep(for: left)) == nil { return nil }
                }
                if let reports = await read() { return reports }
            }
            return nil
        }

        /// Returns `nil` if nothing has changed, or the store cannot be read.
        private mutating func read() async -> [TargetReport]? {
            let present = StoreStamp(outbox.storePath)
            guard changes.takePictures() || present != stamp else { return nil }
            (stamp, lastReading) = (present, .now)
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

/// The changes since the last reading; several are one.
private final class Changes: Sendable {
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let hasPictures = Atomic(false)

    init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(isPicture: Bool = false) {
        if isPicture { hasPictures.store(true, ordering: .relaxed) }
        continuation.yield()
    }

    func takePictures() -> Bool { hasPictures.exchange(false, ordering: .relaxed) }
}

/// The state of a store's files, which changes when the sender writes, and not when this process reads: SQLite then
/// creates an empty log, and removes it again.
private struct StoreStamp: Hashable {
    private let store: FileStamp?
    private let log: FileStamp?

    init(_ path: String) {
        store = FileStamp(path)
        log = FileStamp(path + "-wal").flatMap { $0.size > 0 ? $0 : nil }
    }

    private struct FileStamp: Hashable {
        let size: Int
        private let inode: UInt
        private let seconds: Int, nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (size, inode) = (Int(status.st_size), UInt(status.st_ino))
            (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
        }
    }
}
#endif
