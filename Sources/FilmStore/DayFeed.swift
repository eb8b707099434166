// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import PipelineKit
import SystemBase

/// Delivers the pictures of the films of days, from a ledger that grows. It reads the ledger after
/// ``wake()``, and runs on a thread that may block.
actor DayFeed: PictureFeed {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let executor = BlockingExecutor("gst-capture.film-feed")
    private nonisolated let wakeup = Wakeup()
    private let ending = Completion()
    /// Signals that the feed waits for pictures.
    private let idling = Wakeup()
    private let ledger: LedgerPictures
    private let clock: DayClock
    /// The number up to which lines are read.
    private var position = 0
    private var waiting: ArraySlice<LedgerPictures.Line> = []
    /// The day of the film; `nil` between two films.
    private var day: LocalDay?
    /// The number of the line before the first picture of the film.
    private(set) var start = 0
    /// The number of the last line that was delivered.
    private(set) var delivered = 0
    private var end: FeedStep?

    /// How long after midnight pictures of a day can still be stored.
    private static let grace: Int64 = 60

    init(_ ledger: LedgerPictures, _ clock: DayClock) { (self.ledger, self.clock) = (ledger, clock) }

    /// Tells that the ledger has grown. Any thread may call this.
    nonisolated func wake() { wakeup.signal() }

    /// Ends the feed.
    ///
    /// - Parameter step: `complete` if no picture follows, `interrupted` if another run continues.
    func finish(_ step: FeedStep) {
        end = end ?? step
        ending.complete()
        wakeup.signal()
    }

    /// `true` after ``finish(_:)``.
    var hasEnded: Bool { end != nil }

    /// Returns the day of the first picture after a line, and waits for it; `nil` if the feed has ended before.
    ///
    /// - Parameter last: The day of the last complete film: a picture that was stored late belongs to the next one.
    func firstDay(after line: Int, _ last: LocalDay?) async throws(CaptureError) -> LocalDay? {
        (day, start) = (nil, line)
        begin(after: line)
        guard let first = try await firstWaiting() else { return nil }
        let (own, today) = (LocalDay(first.captured), LocalDay(clock.now()))
        return if let last, own <= last, today > last { today } else { own }
    }

    /// Makes ``next()`` deliver the pictures of a film.
    ///
    /// - Parameter line: The line after which the film begins.
    func beginFilm(of day: LocalDay, after line: Int) { (self.day, start) = (day, line) }

    func begin(after line: Int?) {
        (position, waiting, delivered) = (line ?? start, [], line ?? start)
    }

    func next() async throws(CaptureError) -> FeedStep {
        if end == .interrupted { return .interrupted }
        guard let line = try await firstWaiting() else { return Task.isCancelled ? .interrupted : end ?? .complete }
        if let day, LocalDay(line.captured) > day { return .complete }
        waiting = waiting.dropFirst()
        delivered = line.number
        switch line.picture {
        case .success(let picture): return .picture(NumberedPicture(line: line.number, picture))
        case .failure(let picture): return .skipped(picture)
        }
    }

    func brightness(upTo line: Int, most: Int) throws(CaptureError) -> [Double?] {
        try ledger.brightness(upTo: line, most: most)
    }

    /// Waits for a time, or until the feed ends.
    func pause(_ time: Duration) async { await [ending].wait(atMost: time) }

    /// Waits until all pictures that the ledger has are delivered.
    func waitUntilRead() async {
        let signals = idling.signals
        wakeup.signal()
        await idling.wait(after: signals)
    }

    /// Returns the next picture, and waits for it; `nil` if the feed has ended, or the day of the film is over.
    private func firstWaiting() async throws(CaptureError) -> LedgerPictures.Line? {
        while true {
            let signals = wakeup.signals
            if let line = waiting.first { return line }
            let (lines, last) = try ledger.lines(after: position)
            if last > position {
                (waiting, position) = (lines[...], last)
                continue
            }
            if end != nil || Task.isCancelled { return nil }
            let over = day.map { $0.end(in: clock.zone) + Self.grace }
            if let over, clock.now().seconds >= over { return nil }
            idling.signal()
            await waitForLines(after: signals, until: over)
        }
    }

    /// Waits for ``wake()``, or for the end of the day if there is a film.
    private func waitForLines(after signals: UInt64, until moment: Int64?) async {
        guard let moment else { return await wakeup.wait(after: signals) }
        await withTaskGroup { [wakeup, clock] group in
            group.addTask { await wakeup.wait(after: signals) }
            group.addTask { await clock.wait(moment) }
            await group.next()
            group.cancelAll()
        }
    }
}
