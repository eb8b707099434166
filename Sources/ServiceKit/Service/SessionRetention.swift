// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionKit

/// Removes the pictures of sessions when the time that their consent names is over.
///
/// The time is that of the record of each run, so that a later change of the session's file breaks no promise.
actor SessionRetention {
    /// A run with the time of its removal.
    private struct Removal {
        let time: WallTime
        let entry: SessionArchive.Entry
    }

    /// The next removal comes first.
    private var removals: [Removal] = []
    private var alarm = Alarm()
    private var isClosed = false
    private let report: @Sendable (CaptureError) -> Void

    /// The longest wait, also before a removal that failed is tried again.
    private static let pause = Duration.seconds(600)

    /// - Parameter report: Receives the error of each run that could not be removed.
    init(report: @escaping @Sendable (CaptureError) -> Void) { self.report = report }

    /// Reads the records in folders of sessions, removes the runs that are due, and waits for the others.
    func watch(_ folders: Set<String>) async {
        let found = await BlockingWork.run {
            folders.sorted().flatMap { SessionArchive.entries(in: $0) }.compactMap(Self.removal)
        }
        removals = (removals + found).sorted { $0.time.millisecondsSince1970 < $1.time.millisecondsSince1970 }
        await removeDue()
    }

    /// Reads the record of a run that has ended.
    func watch(run path: String) async {
        let removal = await BlockingWork.run { (try? SessionArchive.entry(at: path)).flatMap(Self.removal) }
        if let removal { insert(removal) }
        await removeDue()
    }

    /// Ends the wait. Runs that are due later are removed by the next service.
    func close() async {
        isClosed = true
        await alarm.finish()
    }

    private static func removal(_ entry: SessionArchive.Entry) -> Removal? {
        entry.record.removal.map { Removal(time: $0, entry: entry) }
    }

    private func insert(_ removal: Removal) {
        let time = removal.time.millisecondsSince1970
        let place = removals.firstIndex { $0.time.millisecondsSince1970 > time }
        removals.insert(removal, at: place ?? removals.endIndex)
    }

    private func removeDue() async {
        while !isClosed, let next = removals.first, next.time.isOver {
            removals.removeFirst()
            await remove(next.entry)
        }
        guard !isClosed, let next = removals.first else { return }
        // A board without a battery gets the time from the network, long after the start: look again after the pause.
        let left = next.time.millisecondsSince1970 - WallTime.now().millisecondsSince1970
        alarm.set(.now + min(.milliseconds(left), Self.pause)) { [self] in await wake() }
    }

    private func wake() async { if !Task.isCancelled { await removeDue() } }

    private func remove(_ entry: SessionArchive.Entry) async {
        do throws(CaptureError) {
            try await entry.expire()
        } catch {
            // Another program may have removed the folder.
            guard error.code != .noInput else { return }
            report(error)
            insert(Removal(time: WallTime.now().adding(Self.pause), entry: entry))
        }
    }
}

extension WallTime {
    fileprivate var isOver: Bool { millisecondsSince1970 <= WallTime.now().millisecondsSince1970 }
}
