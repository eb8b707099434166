// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import ClipList
import FilmKit
import Foundation
import LedgerKit
import PresetKit
import ScheduleKit
import StillKit
import Synchronization
import Testing
import VideoKit

@testable import FilmStore

@Suite("A film of each day", .timeLimit(.minutes(10)))
struct DayFilmsTests {
    @Test func `At midnight the film of the day is complete, listed, and lacks what the series lacks`() async throws {
        let series = try await TestSeries()
        let films = series.films()
        async let run: Void = films.run()
        try await awaiting("the start") { await films.waitUntilRead() }
        try await series.capture(5, lacking: 2)
        films.wake()
        series.clock.set(day: 1, seconds: 59)
        #expect(series.reports.made.isEmpty)
        series.clock.set(day: 1, seconds: 61)
        let film = try await series.nextFilm(1)
        #expect(film.path.hasSuffix("/films/2026-12-01.mp4") && film.frameCount == 5 && film.droppedCount == 2)
        #expect(film.state == .complete && film.start.seconds == TestClock.firstMidnight)
        #expect(try ClipFile.finalize(film.path).tracks.map(\.sampleCount) == [5])
        // The next day has its own film.
        try await series.capture(3)
        films.wake()
        series.clock.set(day: 2, seconds: 61)
        let next = try await series.nextFilm(2)
        #expect(next.path.hasSuffix("/films/2026-12-02.mp4") && next.frameCount == 3 && next.id == 2)
        await films.finish(isComplete: false)
        await run
        #expect(try series.fileNames == ["2026-12-01.mp4", "2026-12-02.mp4"] && series.reports.notices.isEmpty)
    }

    @Test func `A picture of the next day completes the film, before the clock does`() async throws {
        let series = try await TestSeries()
        let films = series.films()
        async let run: Void = films.run()
        try await awaiting("the start") { await films.waitUntilRead() }
        try await series.capture(4)
        series.clock.set(day: 1, seconds: 5)
        try await series.capture(1)
        films.wake()
        #expect(try await series.nextFilm(1).frameCount == 4)
        await films.finish(isComplete: false)
        await run
    }

    @Test func `Another run continues the film of the day, and completes that of an earlier one`() async throws {
        let series = try await TestSeries()
        for count in [3, 1, 2] {
            try await series.capture(count)
            try await series.runOnce(isComplete: false)
        }
        #expect(try series.reports.made.isEmpty && series.fileNames == [".2026-12-01.mp4.film", "2026-12-01.mp4"])
        series.clock.set(day: 3, seconds: 0)
        try await series.capture(2)
        try await series.runOnce(isComplete: false)
        #expect(series.reports.made.map(\.frameCount) == [6])
        #expect(try series.fileNames == [".2026-12-04.mp4.film", "2026-12-01.mp4", "2026-12-04.mp4"])
    }

    @Test func `Films begin with the day on which they are switched on`() async throws {
        let series = try await TestSeries()
        try await series.capture(5)
        series.clock.set(day: 1, seconds: 0)
        try await series.capture(2)
        try await series.runOnce(isComplete: true)
        #expect(series.reports.made.map(\.frameCount) == [2])
        #expect(try series.fileNames == ["2026-12-02.mp4"])
    }

    @Test func `A series that ends completes its film; another one of the day gets its own`() async throws {
        let series = try await TestSeries()
        try await series.capture(3)
        try await series.runOnce(isComplete: true)
        try await series.runOnce(isComplete: true)
        try await series.capture(2)
        try await series.runOnce(isComplete: true)
        #expect(series.reports.made.map(\.frameCount) == [3, 2])
        #expect(try series.fileNames == ["2026-12-01-2.mp4", "2026-12-01.mp4"])
    }

    @Test func `A picture that is stored after midnight is in the film of the new day`() async throws {
        let series = try await TestSeries()
        let films = series.films()
        async let run: Void = films.run()
        try await awaiting("the start") { await films.waitUntilRead() }
        try await series.capture(3)
        films.wake()
        series.clock.set(day: 1, seconds: 61)
        _ = try await series.nextFilm(1)
        try await series.capture(1, on: 0)
        try await series.capture(2)
        try await awaiting("the pictures") { await films.waitUntilRead() }
        series.clock.set(day: 2, seconds: 61)
        #expect(try await series.nextFilm(2).frameCount == 3)
        await films.finish(isComplete: false)
        await run
        #expect(try series.fileNames == ["2026-12-01.mp4", "2026-12-02.mp4"])
    }

    @Test func `After a crash at the end of a day the film is complete once`() async throws {
        let series = try await TestSeries()
        try await series.capture(4)
        try await series.runOnce(isComplete: true)
        let list = series.settings.list
        // Before the film was listed.
        for name in [list, list + "-lock"] { try FileManager.default.removeItem(atPath: name) }
        try await series.runOnce(isComplete: false)
        #expect(try series.reports.made.map(\.frameCount) == [4, 4] && series.fileNames == ["2026-12-01.mp4"])
        #expect(try ClipReader(list).newestID() == 1)
        // After the film was listed.
        try await series.runOnce(isComplete: false)
        #expect(try series.reports.made.count == 2 && ClipReader(list).newestID() == 1)
    }

    @Test func `A fault is reported once, and the film continues when it is over`() async throws {
        let series = try await TestSeries()
        let films = series.films()
        let folder = series.settings.folder
        try Data().write(to: URL(filePath: folder))
        async let run: Void = films.run()
        try await series.capture(2)
        films.wake()
        try await series.reports.wait("the fault") { !$0.notices.isEmpty }
        try FileManager.default.removeItem(atPath: folder)
        try await series.capture(1)
        films.wake()
        series.clock.set(day: 1, seconds: 61)
        #expect(try await series.nextFilm(1).frameCount == 3)
        await films.finish(isComplete: false)
        await run
        #expect(series.reports.notices.map(\.code) == [.filmNotMade])
    }

    @Test func `Old films are removed`() async throws {
        let series = try await TestSeries { $0.filmMaxAge = .seconds(2 * 86400) }
        for day in 0..<4 {
            series.clock.set(day: day, seconds: 100)
            try await series.capture(1)
            try await series.runOnce(isComplete: true)
        }
        #expect(try series.fileNames == ["2026-12-03.mp4", "2026-12-04.mp4"] && series.reports.removed == 2)
    }

    @Test func `Any record and any journal are read, or films begin anew`() async throws {
        var generator = SplitMix(3)
        let series = try await TestSeries()
        try await series.capture(3)
        try await series.runOnce(isComplete: true)
        let path = DayFilmRecord.path(list: series.settings.list)
        let sound = try Array(Data(contentsOf: URL(filePath: path)))
        #expect(DayFilmRecord(path)?.line == 3)
        for _ in 0..<200 {
            try Data(sound.mutated(&generator)).write(to: URL(filePath: path))
            if let record = DayFilmRecord(path) { #expect(record.line >= 0 && !record.name.contains("/")) }
        }
        try Data("{}".utf8).write(to: URL(filePath: path))
        try Data("{}\n".utf8).write(to: URL(filePath: series.settings.folder + "/.2026-12-01-2.mp4.film"))
        try await series.capture(1)
        try await series.runOnce(isComplete: true)
        #expect(series.reports.made.map(\.frameCount) == [3, 4])
    }
}

@Suite("The settings of films of a series")
struct DayFilmSettingsTests {
    private static func read(_ change: @Sendable (inout CaptureSettings) -> Void) throws -> DayFilmSettings? {
        var settings = CaptureSettings()
        (settings.film, settings.output) = (.day, "/srv/garden/%n.jpg")
        change(&settings)
        let names = try settings.output.map { try FileNameTemplate(parsing: $0) }
        return try DayFilmSettings(settings, pictures: names, ledger: settings.ledger ?? "/srv/garden/x.ledger")
    }

    @Test func `Films are in a folder beside the pictures`() throws {
        #expect(try #require(Self.read { _ in }).folder == "/srv/garden/films")
        let percent = try #require(try Self.read { $0.output = "/srv/100%%/%n.jpg" })
        #expect(
            percent.folder == "/srv/100%/films" && percent.names.render(.test(0), sequence: 1).hasPrefix("/srv/100%/"))
        #expect(try Self.read { $0.film = .off } == nil && Self.read { $0.film = nil } == nil)
    }

    private static let mistakes: [(option: String, change: @Sendable (inout CaptureSettings) -> Void)] = [
        ("--film", { $0.output = "/srv/%n.raw" }), ("--film", { $0.encoding = .webp }),
        ("--film-rate", { $0.filmRate = FrameRate(121) }), ("--film-rate", { $0.filmRate = FrameRate(1, 2) }),
        ("--film-size", { $0.filmSize = VideoSize("x720") }), ("--film-codec", { $0.filmCodec = "camera" }),
        ("--film-codec", { $0.filmCodec = "none" }),
    ]

    @Test(arguments: mistakes.indices)
    func `A setting that no film can have is refused`(place: Int) {
        let (option, change) = Self.mistakes[place]
        let error = #expect(throws: CaptureError.self) { try Self.read(change) }
        #expect(error?.code == .usage && error?.subject == option && error?.advice != nil)
    }
}
