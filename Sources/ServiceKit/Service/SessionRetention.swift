// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionKit

/// Returns the times at which the runs in folders of sessions have to be removed, by the folders of the runs, as they were
/// at an event of the service or later; `nil` if only their records tell. Runs without such a time are left out.
public typealias RunRemovals = @Sendable (_ folders: Set<String>, _ event: Int) async -> [String: WallTime]?

/// Removes the pictures of sessions when the time that their consent names is over.
///
/// The time is that of the record of each run, so that a later change of the session's file breaks no promise. It is read
/// again before a removal: a run that was left may have been resumed and accepted meanwhile.
actor SessionRetention {
    /// The times at which the records of runs are read again, by the folders of the runs. The records are not kept.
    private var times: [String: WallTime] = [:]
    private var alarm = Alarm()
    private var isClosed = false
    /// `true` after a report that the clock is in doubt.
    private var isDoubtReported = false
    private let find: RunRemovals
    private let clock: @Sendable () -> AgeClock
    private let isRemoved: @Sendable (String) -> Void
    private let report: @Sendable (CaptureError) -> Void

    /// The longest wait, also before a removal that failed is tried again.
    private static let pause = Duration.seconds(600)

    /// - Parameters:
    ///   - find: Finds the runs without their records, of which there can be many.
    ///   - clock: Returns the clock; tests replace it.
    ///   - isRemoved: Receives the folder of each run that was removed.
    ///   - report: Receives the error of each run that could not be removed.
    init(
        find: @escaping RunRemovals = { _, _ in nil }, clock: @escaping @Sendable () -> AgeClock = { .current() },
        isRemoved: @escaping @Sendable (String) -> Void = { _ in }, report: @escaping @Sendable (CaptureError) -> Void
    ) {
        (self.find, self.clock, self.isRemoved, self.report) = (find, clock, isRemoved, report)
        // From here on a jump of the clock is seen.
        _ = clock()
    }

    private var now: WallTime { clock().time }

    /// Finds the runs in folders of sessions, removes those that are due, and waits for the others. A folder may be read
    /// again, such as after a change of the configuration.
    ///
    /// - Parameter event: The last event of the service.
    func watch(_ folders: Set<String>, after event: Int = 0) async {
        let known = await find(folders, event)
        // A service that stops does not wait for the records.
        guard !Task.isCancelled else { return }
        let found = if let known { known } else { await Self.readRecords(in: folders) }
        times.merge(found) { $1 }
        await removeDue()
    }

    private static func readRecords(in folders: Set<String>) async -> [String: WallTime] {
        await BlockingWork.run {
            var found: [String: WallTime] = [:]
            for folder in folders.sorted() {
                SessionArchive.eachEntry(in: folder) { entry in found[entry.path] = entry.record.removal }
            }
            return found
        }
    }

    /// Reads the record of a run that has ended, or was left.
    func watch(run path: String) async {
        if let time = await BlockingWork.run({ (try? SessionArchive.entry(at: path))?.record.removal }) {
            times[path] = time
        }
        await removeDue()
    }

    /// Ends the wait. Runs that are due later are removed by the next service.
    func close() async {
        isClosed = true
        await alarm.finish()
    }

    private func removeDue() async {
        let due = times.filter { isOver($0.value) }.sorted { $0.value.isBefore($1.value) }
        for (path, _) in due where !isClosed {
            // Another call may remove the run meanwhile.
            guard times.removeValue(forKey: path) != nil else { continue }
            await remove(path)
        }
        guard !isClosed, let next = times.values.min(by: { $0.isBefore($1) }) else { return }
        // A board without a battery gets the time from the network, long after the start: look again after the pause.
        let left = next.millisecondsSince1970 - now.millisecondsSince1970
        alarm.set(.now + min(.milliseconds(left), Self.pause)) { [self] in await wake() }
    }

    private func reportDoubt() {
        guard !isDoubtReported, !clock().isTrusted else { return }
        isDoubtReported = true
        report(
            CaptureError(
                .temporary, "is not known to be set: runs are not removed because of their age", subject: "the clock",
                advice: "synchronize it, or start the service again if it is right"))
    }

    private func wake() async { if !Task.isCancelled { await removeDue() } }

    private func isOver(_ time: WallTime) -> Bool { !now.isBefore(time) }

    /// Removes a run if its time has come, and otherwise waits for it again.
    private func remove(_ path: String) async {
        let again = now.adding(Self.pause)
        do throws(CaptureError) {
            let (entry, isRunning) = try await BlockingWork.run { () throws(CaptureError) in
                let entry = try SessionArchive.entry(at: path)
                return (entry, entry.isRunning)
            }
            guard let time = entry.record.removal else { return }
            if isRunning {
                times[path] = again
            } else if entry.record.isOverdue(by: clock()) {
                if try await entry.expire(by: clock()) { isRemoved(path) } else { times[path] = again }
            } else if isOver(time) {
                // The clock has jumped: nothing is removed on its word.
                reportDoubt()
                times[path] = again
            } else {
                times[path] = time
            }
        } catch {
            // Another program may have removed the folder.
            guard error.code != .noInput else { return }
            report(error)
            times[path] = again
        }
    }
}

extension WallTime {
    fileprivate func isBefore(_ other: WallTime) -> Bool { millisecondsSince1970 < other.millisecondsSince1970 }
}
