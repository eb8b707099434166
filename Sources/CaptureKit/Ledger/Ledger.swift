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
    }

    /// Opens the ledger, and makes it where there is none. Where the disk is full, it is tried again with each line.
    ///
    /// - Throws: ``CaptureError`` `.temporary` where another process writes it, or where the series has gone on since its
    ///   position was read; others where it is damaged, of a newer version, or cannot be written.
    public func open() throws(CaptureError) {
        do throws(CaptureError) {
            file = try LedgerFile(place, description, from: position, start: start)
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
    /// - Throws: ``CaptureError`` where they cannot be written, such as to a full disk. They are kept, 10,000 at most, and
    ///   come with the next.
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

    /// Adds what was noted and how the run ended, and lets the ledger go.
    public func close(_ ending: CaptureSummary.Ending) {
        try? flush()
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
        let (lines, anchor) = waiting.withLock { ($0.take(), $0.anchor) }
        guard !lines.isEmpty else { return }
        do throws(CaptureError) {
            if file == nil { file = try LedgerFile(place, description, from: position, start: start) }
            try file?.add(lines, anchor: anchor ?? .now())
            if trouble != nil { tell("the ledger is written again") }
            trouble = nil
        } catch {
            waiting.withLock { $0.putBack(lines) }
            note(error)
            throw error
        }
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

    private static let most = 10_000

    mutating func add(_ new: [LedgerLine]) {
        lines += new
        // What gets lost so reads as a gap.
        if lines.count > Self.most { lines.removeFirst(lines.count - Self.most) }
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
