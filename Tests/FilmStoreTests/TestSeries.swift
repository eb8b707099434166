// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import ClipList
import Foundation
import LedgerKit
import PipelineKit
import PresetKit
import ScheduleKit
import StillKit
import Synchronization
import Testing

@testable import FilmStore

/// A clock that a test sets, in UTC, from noon of 2026-12-01 on.
final class TestClock: Sendable {
    static let firstMidnight: Int64 = 1_796_083_200
    private let seconds = Mutex(firstMidnight + 43200)
    private let wakeup = Wakeup()

    var now: WallTime { WallTime(seconds: seconds.withLock { $0 }, nanoseconds: 0, utcOffset: 0) }

    /// Sets the clock to a time of a day after the first one.
    func set(day: Int, seconds time: Int64) {
        seconds.withLock { $0 = Self.firstMidnight + Int64(day) * 86400 + time }
        wakeup.signal()
    }

    var dayClock: DayClock {
        let wait: @Sendable (Int64) async -> Void = { moment in
            let signals = self.wakeup.signals
            if self.now.seconds < moment { await self.wakeup.wait(after: signals) }
        }
        return DayClock(now: { self.now }, zone: .utc, wait: wait)
    }
}

/// The reports of films.
final class FilmReports: Sendable {
    private let list = Mutex<[FilmChange]>([])
    private let wakeup = Wakeup()

    func add(_ report: FilmChange) {
        list.withLock { $0.append(report) }
        wakeup.signal()
    }

    var made: [StoredClip] { list.withLock { $0.compactMap { if case .made(let film) = $0 { film } else { nil } } } }
    var removed: Int { list.withLock { $0.count { if case .removed = $0 { true } else { false } } } }
    var notices: [Notice] {
        list.withLock { $0.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
    }

    /// Waits until the reports fulfill a condition.
    func wait(_ what: String, _ isFulfilled: @escaping @Sendable (FilmReports) -> Bool) async throws {
        try await awaiting(what, seen: "\(self.list.withLock { $0 })") {
            while true {
                let signals = self.wakeup.signals
                if isFulfilled(self) || Task.isCancelled { return }
                await self.wakeup.wait(after: signals)
            }
        }
    }
}

/// A series in its ledger, with pictures of the clock's time, one each ten seconds.
final class TestSeries: Sendable {
    let clock = TestClock()
    let reports = FilmReports()
    let settings: DayFilmSettings
    private let folder: TemporaryFolder
    private let ledger: Ledger
    private let frames: [[UInt8]]
    private let slot = Mutex(0)

    init(_ change: (inout CaptureSettings) -> Void = { _ in }) async throws {
        folder = try TemporaryFolder()
        var settings = CaptureSettings()
        (settings.film, settings.filmCodec) = (.day, "openh264enc")
        change(&settings)
        ledger = Ledger(folder.path + "/.gst-capture/%n.jpg.ledger", series: .seconds(10))
        try await ledger.open()
        let names = try FileNameTemplate(parsing: folder.path + "/%n.jpg")
        self.settings = try #require(try DayFilmSettings(settings, pictures: names, ledger: ledger.path))
        frames = try await Self.frames(8)
    }

    /// Adds pictures to the series.
    ///
    /// - Parameters:
    ///   - lackCount: The number of slots without a picture after the first one.
    ///   - day: The day on which they were captured; `nil` for that of the clock.
    func capture(_ count: Int, lacking lackCount: Int = 0, on day: Int? = nil) async throws {
        for place in 0..<count {
            let number = slot.withLock { slot in
                slot += 1 + (place == 1 ? lackCount : 0)
                return slot
            }
            let path = folder.path + "/\(number).jpg"
            let bytes = frames[number % frames.count]
            try Data(bytes).write(to: URL(filePath: path))
            var time = clock.now
            if let day { time.seconds = TestClock.firstMidnight + Int64(day) * 86400 + 86399 }
            let still = LedgerStill(
                captured: time, errorMilliseconds: 0, isLate: false, file: path, byteCount: bytes.count, width: 64,
                height: 48, brightness: 0.5, burstIndex: 0, sequence: number)
            try await ledger.append([
                LedgerEntry(
                    slots: number...number, cause: .schedule, due: time, lastDue: time, outcome: .captured(still))
            ])
        }
    }

    func films() -> DayFilms {
        let age: @Sendable () -> AgeClock = { [clock] in
            AgeClock(AgeClock.Reading(wall: clock.now.seconds, steady: 1_000_000, isSynchronized: true))
        }
        return DayFilms(
            settings, nil, clock: clock.dayClock, age: age, pause: .milliseconds(10),
            report: { [reports] in reports.add($0) })
    }

    /// Runs the films of all pictures so far.
    func runOnce(isComplete: Bool) async throws {
        let films = films()
        if isComplete {
            await films.finish(isComplete: true)
            await films.run()
        } else {
            async let run: Void = films.run()
            try await awaiting("all pictures") { await films.waitUntilRead() }
            await films.finish(isComplete: false)
            await run
        }
    }

    func nextFilm(_ count: Int) async throws -> StoredClip {
        try await reports.wait("film \(count)") { $0.made.count >= count }
        return reports.made[count - 1]
    }

    /// The names in the folder of films, without the list.
    var fileNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: settings.folder).filter { $0 != ".gst-capture" }
                .sorted()
        }
    }

    private static func frames(_ count: Int) async throws -> [[UInt8]] {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=\(count) pattern=ball ! video/x-raw,format=I420,width=64,height=48,"
                + "framerate=30/1 ! jpegenc ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var frames: [[UInt8]] = []
        while let buffer = try await sink.nextSample()?.buffer { frames.append(try buffer.bytes()) }
        try await pipeline.stop()
        return frames
    }
}
