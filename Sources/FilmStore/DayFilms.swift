// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import ClipStore
import FilmKit
import OverlayCompositor
import StillKit
import VideoKit

/// Makes a film of each day of a series, while the series runs: at midnight the film of the day is complete, without a peak
/// of load.
///
/// Write order at the end of a day: (1) the film, (2) the record of the pictures that are in complete films, (3) the removal
/// of the film's journal, (4) its row in the list of films. Another run continues after each of these steps.
package final class DayFilms: Sendable {
    /// The films on the disk: the same list as that of a camera's clips.
    package let folder: ClipFolder
    private let settings: DayFilmSettings
    private let rasterizer: (any Rasterizer)?
    private let feed: DayFeed
    private let clock: DayClock
    /// The time before another attempt after a fault: it encodes up to 500 pictures again.
    private let pause: Duration
    private let report: @Sendable (FilmChange) -> Void

    /// Prepares the films of a series; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - rasterizer: Draws the time; needed if it is burnt in.
    ///   - age: Returns the clock for the age of films; tests replace it.
    ///   - pause: The time before another attempt after a fault.
    ///   - report: Receives changes and notices. It must not wait.
    package init(
        _ settings: DayFilmSettings, _ rasterizer: (any Rasterizer)?, clock: DayClock = .machine,
        age: @escaping @Sendable () -> AgeClock = { .current() }, pause: Duration = .seconds(60),
        report: @escaping @Sendable (FilmChange) -> Void
    ) {
        (self.settings, self.rasterizer, self.clock) = (settings, rasterizer, clock)
        (self.pause, self.report) = (pause, report)
        feed = DayFeed(LedgerPictures(settings.ledger), clock)
        folder = ClipFolder(settings.names, settings.policy, clock: age) { report(FilmChange($0)) }
    }

    /// Checks that films can be made. GStreamer must have been started.
    ///
    /// - Throws: ``CaptureError`` `.configuration` if no encoder works.
    package func check() async throws(CaptureError) {
        _ = try await EncoderCatalog.shared.encoder(settings.film.encoder, for: nil)
    }

    /// Tells that the series has another picture. Any thread may call this.
    package func wake() { feed.wake() }

    /// Ends ``run()``.
    ///
    /// - Parameter isComplete: `true` if the series has ended: the film of the day is complete. Otherwise another run
    ///   continues it.
    package func finish(isComplete: Bool) async { await feed.finish(isComplete ? .complete : .interrupted) }

    /// Makes films until ``finish(isComplete:)``. A fault is reported; the film continues with a later picture. Call it once.
    package func run() async {
        var place = Place()
        var lastFault: CaptureError?
        while await !feed.hasEnded || place.isDue, !Task.isCancelled {
            do throws(CaptureError) {
                try await continueFilms(&place)
                return await folder.close()
            } catch {
                if error != lastFault { report(.notice(Notice(.filmNotMade, error))) }
                lastFault = error
                place.isDue = false
                await feed.pause(pause)
            }
        }
        await folder.close()
    }

    /// Waits until all pictures that the ledger has are on their way into a film.
    func waitUntilRead() async { await feed.waitUntilRead() }

    /// The pictures that are in complete films.
    private struct Place {
        /// The last line whose picture is in a complete film; `nil` before the record was read.
        var line: Int?
        /// The day of the last complete film.
        var day: LocalDay?
        /// `true` if ``finish(isComplete:)`` must not keep a run from its first attempt.
        var isDue = true
    }

    private func continueFilms(_ place: inout Place) async throws(CaptureError) {
        // A disk that is not there must not get another folder of films in its place.
        try await folder.open()
        let unfinished = try await prepare(&place)
        if let unfinished, let day = LocalDay(startOf: unfinished.name),
            try await !make(unfinished.name, day, &place)
        {
            return
        }
        while let day = try await feed.firstDay(after: place.line ?? 0, place.day) {
            guard try await make(try await freeName(day), day, &place) else { return }
        }
    }

    /// Makes or continues a film.
    ///
    /// - Returns: `false` if the films end with it, because another run continues.
    private func make(_ name: String, _ day: LocalDay, _ place: inout Place) async throws(CaptureError) -> Bool {
        await feed.beginFilm(of: day, after: place.line ?? 0)
        let film = GrowingFilm(settings.film, to: path(name), rasterizer) { [report] event in
            guard case .skipped(let picture) = event else { return }
            report(.notice(Notice(.filmSkipsPicture, picture.reason, subject: picture.name.withoutControls)))
        }
        let ending = try await film.run(feed) { [self] made throws(CaptureError) in try await note(made, name) }
        switch ending {
        case .interrupted: return false
        case .empty: place.line = await feed.delivered
        case .complete(let made):
            (place.line, place.day) = (made.line, day)
            try await list(made.path, day, lackCount: made.lackCount)
        }
        return true
    }

    private func path(_ name: String) -> String { "\(settings.folder)/\(name)" }

    private var recordPath: String { DayFilmRecord.path(list: settings.list) }

    /// Records that the pictures of a film are in a complete one.
    private func note(_ film: GrowingFilm.Film, _ name: String) async throws(CaptureError) {
        try await BlockingWork.run { [settings, recordPath] () throws(CaptureError) in
            let identity = try LedgerPictures(settings.ledger).identity() ?? ""
            try StillFolder.make(StillFolder.path(of: recordPath))
            try DayFilmRecord(line: film.line, ledger: identity, name: name).write(to: recordPath)
        }
    }
}

// MARK: - After a crash or a stop

extension DayFilms {
    /// Finds the pictures that are in complete films, and completes what a crash has left.
    ///
    /// - Returns: The film to continue.
    private func prepare(_ place: inout Place) async throws(CaptureError) -> GrowingFilm.Unfinished? {
        let (record, unfinished) = try await BlockingWork.run { [self] () throws(CaptureError) in try found() }
        if let record, place.line == nil {
            (place.line, place.day) = (record.line, LocalDay(startOf: record.name))
            try await list(record)
        }
        if let unfinished {
            place.line = unfinished.start
        } else if place.line == nil {
            place.line = try await firstLine()
        }
        return unfinished
    }

    /// Films begin with the day on which they are switched on.
    private func firstLine() async throws(CaptureError) -> Int {
        let midnight = LocalDay(clock.now()).start(in: clock.zone)
        return try await BlockingWork.run { [settings] () throws(CaptureError) in
            try LedgerPictures(settings.ledger).lastLine(before: midnight)
        }
    }

    /// Adds the last complete film to the list, if a crash came before that.
    private func list(_ record: DayFilmRecord) async throws(CaptureError) {
        let path = path(record.name)
        // The user may have removed it.
        guard let day = LocalDay(startOf: record.name), await BlockingWork.run({ RegularFile.isRegular(path) }) else {
            return
        }
        try await list(path, day, lackCount: nil)
    }

    private func list(_ path: String, _ day: LocalDay, lackCount: Int?) async throws(CaptureError) {
        let start = day.start(in: clock.zone)
        let (film, isNew) = try await folder.adopt(path, start: start, lackCount: lackCount)
        if isNew { report(.made(film)) }
    }

    /// Returns the record, if it is about this ledger, and the film to continue. Blocks.
    private func found() throws(CaptureError) -> (DayFilmRecord?, GrowingFilm.Unfinished?) {
        var record = DayFilmRecord(recordPath)
        if let known = record, try LedgerPictures(settings.ledger).identity() != known.ledger { record = nil }
        var latest: GrowingFilm.Unfinished?
        for film in GrowingFilm.unfinished(in: settings.folder) where LocalDay(startOf: film.name) != nil {
            if let record, let line = film.lastLine, line <= record.line {
                try GrowingFilm.settle(path(film.name))
            } else {
                latest = film
            }
        }
        return (record, latest)
    }

    /// Returns the name of a film for which there is no file yet.
    private func freeName(_ day: LocalDay) async throws(CaptureError) -> String {
        await BlockingWork.run { [self] in
            var (name, number) = ("\(day).mp4", 1)
            while DeviceFiles.exists(path(name)) {
                number += 1
                name = "\(day)-\(number).mp4"
            }
            return name
        }
    }
}
