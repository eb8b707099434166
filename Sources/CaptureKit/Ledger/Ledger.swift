// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// The durable account of a series: a line for each slot, which is only ever added to.
///
/// One process at a time writes a ledger; any number may read it meanwhile (``LedgerReader``). It is a file of SQLite's,
/// and each line survives a power cut once ``append(_:)`` returns. An actor on a thread of its own, as files block.
public actor Ledger {
    private let executor = BlockingExecutor("gst-capture.ledger")
    /// Runs its work on a thread of its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Where the ledger is.
    public nonisolated var path: String { place.path }

    private nonisolated let place: LedgerPlace
    private let description: SeriesDescription
    private let position: SeriesPosition?
    private let start = WallTime.now()
    private let tell: @Sendable (String) -> Void
    /// Lines that are not durable yet.
    private nonisolated let waiting = Mutex(Waiting())
    private var isOpen = false
    private var file: LedgerFile?
    /// How far the ledger was when it was let go of, and what may or may not have come into it then.
    private var left: (standing: LedgerStanding, lines: [LedgerLine])?
    /// A ledger that could not be made at once is made on the disk of the start, and no other.
    private var mountGuard: MountGuard
    private var trouble: CaptureError?

    /// Prepares a ledger; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - path: Where it is, or will be made.
    ///   - series: What the series is.
    ///   - position: Where it is gone on with, as ``LedgerReader/position()`` says; `nil` to begin a new series, which may
    ///     be one of several in a ledger.
    ///   - tell: Called with what is wrong when lines cannot be written, once, and when they are.
    public init(
        _ path: String, series: SeriesDescription, position: SeriesPosition? = nil,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (place, description, self.position, self.tell) = (LedgerPlace(path), series, position, tell)
        mountGuard = MountGuard(folder: place.baseFolder, mount: nil)
    }

    /// Opens the ledger, and makes it where there is none. Where the disk is full, it is tried again with each line. A ledger
    /// of an earlier version gets the indices that it lacks. In a task that is cancelled it throws, and changes nothing.
    ///
    /// - Throws: ``CaptureError`` `.temporary` where another process writes it, or where the series has gone on since its
    ///   position was read; others where it is damaged, of a newer version, or cannot be written.
    public func open() throws(CaptureError) {
        mountGuard.begin()
        do throws(CaptureError) {
            file = try LedgerFile(place, description, from: position, start: start, stopsWhenCancelled: true)
        } catch {
            guard error.isFullDisk else { throw error }
            note(error)
        }
        isOpen = true
    }

    /// Says from which moment the slots of a new series are counted; before the first line.
    public nonisolated func begin(at anchor: WallTime) {
        waiting.withLock { $0.anchor = $0.anchor ?? anchor }
    }

    /// Adds lines, those that were noted before them first; all are durable when it returns.
    ///
    /// - Throws: ``CaptureError`` where they cannot be written, such as to a full disk, or while another program has the
    ///   ledger locked. They are kept, 10,000 at most, and come with the next.
    public func append(_ entries: [LedgerEntry]) throws(CaptureError) {
        waiting.withLock { $0.add(entries.map(LedgerLine.slot)) }
        try flush()
    }

    /// Adds a line about a picture that was removed; durable when it returns.
    ///
    /// - Throws: as ``append(_:)``.
    public func append(_ removal: LedgerRemoval) throws(CaptureError) {
        waiting.withLock { $0.add([.removal(removal)]) }
        try flush()
    }

    /// Adds a line soon: with the next that is appended, or within a second.
    public nonisolated func note(_ entry: LedgerEntry) { note([.slot(entry)]) }

    /// Adds lines about pictures that were removed, as soon.
    public nonisolated func note(_ removals: [LedgerRemoval]) { note(removals.map(LedgerLine.removal)) }

    private nonisolated func note(_ lines: [LedgerLine]) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.isScheduled = true }
            waiting.add(lines)
            return !waiting.isScheduled
        }
        if isFirst { Task { await flushSoon() } }
    }

    /// What the ledger holds of all its series, with what was appended.
    ///
    /// - Throws: ``CaptureError`` where it cannot be read.
    public func totals() throws(CaptureError) -> LedgerTotals {
        try flush()
        return try LedgerReader(path).totals()
    }

    /// Closes the file until the next line, where the disk fails: one that is open would keep the disk from being mounted
    /// anew.
    func rest() { if let file { letGo(of: file, with: []) } }

    /// Adds what was noted and how the run ended, and lets the ledger go.
    public func close(_ ending: CaptureSummary.Ending) {
        file?.waitLonger()
        do throws(CaptureError) {
            try flush()
        } catch {
            tell("the ledger ends without its last lines, \(waiting.withLock { $0.count }) of them: \(error)")
        }
        let lost = waiting.withLock { $0.lostCount }
        if lost > 0 { tell("the ledger lacks \(lost) of its lines: too many had to wait") }
        // Without its end, a run reads as one that was killed; its slots are there.
        try? file?.end(ending)
        (file, isOpen) = (nil, false)
    }

    // MARK: Writing

    private func flushSoon() async {
        try? await Task.sleep(for: .milliseconds(500), tolerance: .milliseconds(200), clock: .continuous)
        waiting.withLock { $0.isScheduled = false }
        try? flush()
    }

    private func flush() throws(CaptureError) {
        guard isOpen else { return }
        var (lines, anchor) = waiting.withLock { ($0.take(), $0.anchor) }
        guard !lines.isEmpty else { return }
        do throws(CaptureError) {
            try add(&lines, anchor: anchor ?? .now())
            if trouble != nil { tell("the ledger is written again") }
            trouble = nil
        } catch {
            waiting.withLock { $0.putBack(lines) }
            note(error)
            throw error
        }
    }

    private func add(_ lines: inout [LedgerLine], anchor: WallTime) throws(CaptureError) {
        let file = try reach(&lines)
        guard !lines.isEmpty else { return }
        do throws(CaptureError) {
            try file.add(lines, anchor: anchor)
        } catch {
            // A disk that is full is still there; of one that failed, the file is no use when it is back.
            if error.isOfStorage, !error.isFullDisk { letGo(of: file, with: lines) }
            throw error
        }
    }

    /// The ledger as it is found at its path now; it is never made there a second time.
    ///
    /// - Parameter lines: What is to be added; those are taken out that turn out to be there.
    private func reach(_ lines: inout [LedgerLine]) throws(CaptureError) -> LedgerFile {
        if let file {
            if file.isInPlace { return file }
            letGo(of: file, with: [])
        }
        let found = try open(after: left?.standing)
        // A transaction that failed may have become durable all the same: all of it, or nothing.
        if let left, found.standing.lineCount > left.standing.lineCount {
            let known = Set(left.lines)
            lines.removeAll(where: known.contains)
        }
        (file, left) = (found, nil)
        return found
    }

    private func open(after standing: LedgerStanding?) throws(CaptureError) -> LedgerFile {
        if let standing {
            return try LedgerFile(place, description, from: position, start: start, after: standing)
        }
        try mountGuard.check()
        return try LedgerFile(place, description, from: position, start: start)
    }

    /// Closes a file that is gone with its disk, or on one that failed.
    private func letGo(of file: LedgerFile, with lines: [LedgerLine]) {
        file.abandon()
        left = (file.standing, lines)
        self.file = nil
    }

    /// What is wrong is told once.
    private func note(_ error: CaptureError) {
        if trouble != error { tell("the ledger waits: \(error)") }
        trouble = error
    }
}

/// Lines on their way into a ledger.
private struct Waiting: Sendable {
    /// True where somebody is on the way to write them.
    var isScheduled = false
    /// From where slots are counted.
    var anchor: WallTime?
    private var lines: [LedgerLine] = []

    /// How many had no room here.
    private(set) var lostCount = 0

    private static let most = 10_000

    var count: Int { lines.count }

    mutating func add(_ new: [LedgerLine]) {
        lines += new
        guard lines.count > Self.most else { return }
        // What gets lost so reads as a gap.
        lostCount += lines.count - Self.most
        lines.removeFirst(lines.count - Self.most)
    }

    mutating func take() -> [LedgerLine] {
        defer { lines = [] }
        return lines
    }

    mutating func putBack(_ old: [LedgerLine]) {
        let newer = take()
        add(old + newer)
    }
}
