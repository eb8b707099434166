// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import ScheduleKit
import Synchronization

/// The durable record of a series: a line for each slot. Lines are only ever added.
///
/// One process at a time writes a ledger; any number may read it meanwhile (``LedgerReader``). The ledger is an SQLite
/// file, and each line survives a power cut once ``append(_:)-([LedgerEntry])`` returns. The actor runs on a Dispatch
/// queue, since file calls block. The ledger of a capture shares the queue of the pictures, so that no line waits for
/// another thread.
public actor Ledger {
    private let executor: BlockingExecutor
    /// Runs the actor's work on a Dispatch queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The path of the ledger.
    public nonisolated var path: String { place.path }

    private nonisolated let place: LedgerPlace
    private let description: SeriesDescription
    private let position: SeriesPosition?
    private let start = WallTime.now()
    private let report: @Sendable (Notice) -> Void
    /// Lines that are not durable yet.
    private nonisolated let waiting = Mutex(Waiting())
    /// The lines of pictures that are about to get their names.
    private nonisolated let planned: Mutex<PlannedLines>
    /// The pictures that are about to be removed.
    private nonisolated let removing: Mutex<PlannedRemovals>
    private var isOpen = false
    private var file: LedgerFile?
    /// The state of the ledger when its file was closed early, and the lines of the last write, which may or may not
    /// have become durable.
    private var left: (state: LedgerState, lines: [LedgerLine])?
    /// Checks that a ledger that ``open()`` could not create is later created on the same file system.
    private var mountGuard: MountGuard
    private var trouble: CaptureError?

    /// Prepares a ledger without opening it.
    ///
    /// - Parameters:
    ///   - path: The path of the ledger, which need not exist yet.
    ///   - series: The description of the series.
    ///   - position: The position at which the series resumes, from ``LedgerReader/position()``; `nil` to begin a new
    ///     series, which may be one of several in a ledger.
    ///   - report: Called with a notice when lines cannot be written, once for the same error, and when they are
    ///     written again.
    public init(
        _ path: String, series: SeriesDescription, position: SeriesPosition? = nil,
        report: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        self.init(path, series: series, position: position, on: BlockingExecutor("gst-capture.ledger"), report: report)
    }

    /// Prepares a ledger that runs on the executor of another actor: that actor's calls do not change the thread.
    package init(
        _ path: String, series: SeriesDescription, position: SeriesPosition?, on executor: BlockingExecutor,
        report: @escaping @Sendable (Notice) -> Void
    ) {
        (place, description, self.position, self.report) = (LedgerPlace(path), series, position, report)
        self.executor = executor
        planned = Mutex(PlannedLines(place))
        removing = Mutex(PlannedRemovals(place))
        mountGuard = MountGuard(folder: place.baseFolder, mount: nil)
    }

    /// Opens the ledger, or creates it if there is none. If the disk is full, the call succeeds, and each line tries
    /// again. A ledger of an earlier version gets the indices that it lacks. If the task is canceled, the call throws,
    /// and changes no ledger.
    ///
    /// - Throws: `CaptureError` `.temporary` if another process writes the ledger, or if the series has continued
    ///   since its position was read; others if the ledger is damaged, of a newer version, or cannot be written.
    public func open() throws(CaptureError) {
        mountGuard.begin()
        recoverLines()
        do throws(CaptureError) {
            file = try LedgerFile(place, description, from: position, start: start, stopsWhenCancelled: true)
        } catch {
            guard error.isFullDisk else { throw error }
            reportTrouble(error)
        }
        isOpen = true
        waiting.withLock { $0.isClosed = false }
    }

    /// Sets the moment from which the slots of a new series are counted. Call it before the first line; only
    /// the first call counts.
    public nonisolated func begin(at anchor: WallTime) {
        waiting.withLock { $0.anchor = $0.anchor ?? anchor }
    }

    /// Adds the lines that a killed process has left. A series that resumes got them before its position was read.
    private func recoverLines() {
        if position == nil, (try? Self.recover(path)) != nil { return }
        if PlannedLines.exist(beside: place) { planned.withLock { $0.leave() } }
        if PlannedRemovals.exist(beside: place) { removing.withLock { $0.leave() } }
    }

    /// Plans the line of a picture that is about to get its name, so that the next process adds the line if this one is
    /// killed before it does. It never fails: a picture does not depend on it. Blocks.
    ///
    /// - Parameter isDurable: `true` if the plan has to survive a power cut, too.
    package nonisolated func plan(_ entry: LedgerEntry, isDurable: Bool = false) {
        let anchor = position?.anchor ?? waiting.withLock { $0.anchor } ?? .now()
        let run = PlannedRun(
            description: description, anchor: anchor, position: position, start: start, process: Int(getpid()))
        planned.withLock { $0.add(entry, of: run, isDurable: isDurable) }
    }

    /// Plans the removal of a picture, so that the next process records it if this one is killed before it does. It never
    /// fails: a removal does not depend on it. Blocks.
    ///
    /// - Parameter isDurable: `true` if the plan has to survive a power cut, too.
    package nonisolated func plan(_ removal: LedgerRemoval, isDurable: Bool = false) {
        removing.withLock { $0.add(removal, isDurable: isDurable) }
    }

    /// Forgets the planned removal of a picture that stays.
    package nonisolated func cancel(_ removal: LedgerRemoval) { removing.withLock { $0.remove([.removal(removal)]) } }

    /// Writes lines, after all queued ones. All of them are durable on return. Before ``open()`` they are only queued;
    /// after ``close(_:)`` they are lost.
    ///
    /// - Returns: The numbers of the lines in the ledger; none if they are only queued.
    /// - Throws: `CaptureError` if the lines cannot be written, such as to a full disk, or while another program has
    ///   the ledger locked. Up to 10,000 lines are kept, and written with the next ones.
    @discardableResult
    public func append(_ entries: [LedgerEntry]) throws(CaptureError) -> [Int] {
        let lines = entries.map(LedgerLine.slot)
        guard isOpen else {
            queue(lines)
            return []
        }
        // The queued lines come first.
        return try flush(with: lines).suffix(lines.count)
    }

    /// Writes lines, after all queued ones, and keeps none of them if that fails, so that the caller can undo what they
    /// record. All of them are durable on return. After ``open()`` only.
    ///
    /// - Returns: The numbers of the lines.
    /// - Throws: As ``append(_:)-([LedgerEntry])``. If ``CaptureBase/CaptureError/leavesWritesOpen`` is `true` for the
    ///   error, the lines may have become durable: they are queued, and must not be undone.
    package func add(_ entries: [LedgerEntry]) throws(CaptureError) -> [Int] {
        var lines = entries.map(LedgerLine.slot)
        do throws(CaptureError) {
            try flush()
            let numbers = try add(&lines, anchor: waiting.withLock { $0.anchor } ?? .now())
            endTrouble()
            return numbers
        } catch {
            if error.leavesWritesOpen { queue(lines) }
            reportTrouble(error)
            throw error
        }
    }

    /// Adds a line about a picture that was removed. The line is durable on return.
    ///
    /// - Throws: As ``append(_:)``.
    public func append(_ removal: LedgerRemoval) throws(CaptureError) {
        queue([.removal(removal)])
        try flush()
    }

    /// Queues a line. It is written with the next append, or within a second; if that fails, with a later line.
    public nonisolated func record(_ entry: LedgerEntry) { record([.slot(entry)]) }

    /// Queues lines about pictures that were removed, as ``record(_:)-(LedgerEntry)`` does.
    public nonisolated func record(_ removals: [LedgerRemoval]) { record(removals.map(LedgerLine.removal)) }

    private nonisolated func record(_ lines: [LedgerLine]) {
        queue(lines)
        waiting.withLock { waiting in
            if waiting.writing == nil, !waiting.isClosed { waiting.writing = Task { await flushSoon() } }
        }
    }

    /// Returns the totals of all series in the ledger, including the lines added so far.
    ///
    /// - Throws: `CaptureError` if the ledger cannot be written or read.
    public func totals() throws(CaptureError) -> LedgerTotals {
        try flush()
        return try LedgerReader(path).totals()
    }

    /// Closes the file until the next line. Call it when the disk fails: an open file keeps the user from unmounting
    /// the disk and mounting it again.
    package func rest() { if let file { abandon(file, with: []) } }

    /// Writes pending lines and how the run ended, and closes the ledger.
    public func close(_ ending: CaptureEnding) async {
        let writing = waiting.withLock { waiting in
            waiting.isClosed = true
            return waiting.writing
        }
        writing?.cancel()
        await writing?.value
        file?.waitLonger()
        do throws(CaptureError) {
            try flush()
        } catch {
            reportUnwritten("the ledger lacks its last lines, \(waiting.withLock { $0.count }) of them", because: error)
        }
        let lost = waiting.withLock { $0.lostCount }
        if lost > 0 {
            let message = "the ledger lacks \(lost) of its lines: too many were pending"
            report(Notice(.ledgerNotWritten, about: path, message))
        }
        // A run without an end reads as one that was killed. Its slots are in the ledger.
        try? file?.end(ending)
        (file, isOpen) = (nil, false)
    }

    // MARK: Writing

    private nonisolated func queue(_ lines: [LedgerLine]) {
        let dropped = waiting.withLock { $0.add(lines) }
        planned.withLock { $0.remove(dropped) }
    }

    private func flushSoon() async {
        try? await Task.sleep(for: .milliseconds(500), tolerance: .milliseconds(200), clock: .continuous)
        waiting.withLock { $0.writing = nil }
        if !Task.isCancelled { _ = try? flush() }
    }

    /// Writes the queued lines, and then further ones.
    ///
    /// - Returns: The numbers of the lines of slots.
    @discardableResult
    private func flush(with more: [LedgerLine] = []) throws(CaptureError) -> [Int] {
        guard isOpen else { return [] }
        var (lines, anchor) = waiting.withLock { ($0.drain() + more, $0.anchor) }
        guard !lines.isEmpty else { return [] }
        do throws(CaptureError) {
            let numbers = try add(&lines, anchor: anchor ?? .now())
            endTrouble()
            return numbers
        } catch {
            let dropped = waiting.withLock { $0.putBack(lines) }
            planned.withLock { $0.remove(dropped) }
            reportTrouble(error)
            throw error
        }
    }

    private func add(_ lines: inout [LedgerLine], anchor: WallTime) throws(CaptureError) -> [Int] {
        let all = lines
        let file = try reach(&lines)
        do throws(CaptureError) {
            let numbers = lines.isEmpty ? [] : try file.add(lines, anchor: anchor)
            planned.withLock { $0.remove(all) }
            removing.withLock { $0.remove(all) }
            return numbers
        } catch {
            // A full disk is still there. After another storage error, the file is useless even when the disk is back.
            if error.leavesWritesOpen { abandon(file, with: lines) }
            throw error
        }
    }

    /// Returns the ledger at its path. A ledger is never created there a second time.
    ///
    /// - Parameter lines: The lines to add. Lines that turn out to be in the ledger are removed.
    private func reach(_ lines: inout [LedgerLine]) throws(CaptureError) -> LedgerFile {
        if let file {
            if file.isInPlace { return file }
            abandon(file, with: [])
        }
        let found = try open(after: left?.state)
        // A transaction that failed may have become durable all the same: all of it, or nothing.
        if let left, found.state.lineCount > left.state.lineCount {
            let known = Set(left.lines)
            lines.removeAll(where: known.contains)
        }
        (file, left) = (found, nil)
        return found
    }

    private func open(after state: LedgerState?) throws(CaptureError) -> LedgerFile {
        if let state {
            return try LedgerFile(place, description, from: position, start: start, after: state)
        }
        try mountGuard.check()
        return try LedgerFile(place, description, from: position, start: start)
    }

    /// Closes a file whose disk is gone or has failed.
    private func abandon(_ file: LedgerFile, with lines: [LedgerLine]) {
        file.abandon()
        left = (file.state, lines)
        self.file = nil
    }

    private func endTrouble() {
        if trouble != nil { report(Notice(.ledgerResumed, about: path, "writing to the ledger has resumed")) }
        trouble = nil
    }

    /// Reports an error, unless it is the same as the last one.
    private func reportTrouble(_ error: CaptureError) {
        if trouble != error { reportUnwritten("lines for the ledger are pending", because: error) }
        trouble = error
    }

    private func reportUnwritten(_ consequence: String, because error: CaptureError) {
        report(Notice(.ledgerNotWritten, about: path, consequence, because: error))
    }
}

/// Lines that are not written yet.
private struct Waiting: Sendable {
    /// Writes the lines soon.
    var writing: Task<Void, Never>?
    /// `true` if no task may write lines anymore.
    var isClosed = false
    /// The moment from which slots are counted.
    var anchor: WallTime?
    private var lines: [LedgerLine] = []

    /// The number of lines dropped because there were too many.
    private(set) var lostCount = 0

    private static let most = 10_000

    var count: Int { lines.count }

    /// Returns the lines that were dropped because there are too many. They read as a gap.
    mutating func add(_ new: [LedgerLine]) -> [LedgerLine] {
        lines += new
        guard lines.count > Self.most else { return [] }
        let dropped = Array(lines.prefix(lines.count - Self.most))
        lostCount += dropped.count
        lines.removeFirst(dropped.count)
        return dropped
    }

    mutating func drain() -> [LedgerLine] {
        defer { lines = [] }
        return lines
    }

    /// Returns the lines that were dropped, as ``add(_:)`` does.
    mutating func putBack(_ old: [LedgerLine]) -> [LedgerLine] {
        let newer = drain()
        return add(old + newer)
    }
}

extension CaptureError {
    /// `true` if lines may have become durable in spite of the error: the disk failed while they were written. A full disk
    /// has none of them.
    package var leavesWritesOpen: Bool { isOfStorage && !isFullDisk }
}
