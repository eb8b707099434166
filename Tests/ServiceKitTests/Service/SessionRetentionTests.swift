// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import SessionKit
import Synchronization
import Testing

@testable import ServiceKit

@Suite("Retention of sessions", .timeLimit(.minutes(2)))
struct SessionRetentionTests {
    private let folder: TemporaryFolder
    private static let start = WallTime(seconds: 1_800_000_000, nanoseconds: 0, utcOffset: 3600)

    init() throws { folder = try TemporaryFolder() }

    /// A clock that stands still until a test sets it.
    private final class Clock: Sendable {
        private typealias State = (reading: AgeClock.Reading, clock: AgeClock)
        private let state: Mutex<State>

        init() {
            let reading = AgeClock.Reading(
                wall: SessionRetentionTests.start.seconds, steady: 0, isSynchronized: false)
            state = Mutex((reading, AgeClock(reading)))
        }

        @Sendable func read() -> AgeClock { state.withLock { $0.clock } }

        /// Waits until this time after the start.
        func set(_ hours: Double) { change { $0.steady = Int64(3600 * hours) } }

        /// Sets the clock ahead.
        func jump(_ hours: Double) { change { $0.wall += Int64(3600 * hours) } }

        private func change(_ body: (inout AgeClock.Reading) -> Void) {
            state.withLock { state in
                let before = state.reading.steady
                body(&state.reading)
                state.reading.wall += state.reading.steady - before
                state.clock.update(state.reading)
            }
        }
    }

    /// Writes the record of a run that began at the start, and keeps its pictures for two hours.
    @discardableResult
    private func write(_ name: String, endedAfter hours: Double? = nil, keeps: Bool = false) throws -> String {
        let description = SessionDescription(name: "avatar", stages: [SessionStage(name: "one")])
        var record = SessionRecord(description, begun: Self.start)
        record.retention = keeps ? nil : .seconds(7200)
        if let hours {
            record.ended = Self.start.adding(.seconds(3600 * hours)).iso8601
            record.progress.ending = .accepted
        }
        return try folder.write("\(name)/session.json", record.json).replacing("/session.json", with: "")
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("A run that was left is removed when its time has come")
    func left() async throws {
        let clock = Clock()
        let removed = Mutex<[String]>([])
        let retention = SessionRetention(
            clock: clock.read, isRemoved: { path in removed.withLock { $0.append(path) } },
            report: { Issue.record($0) })
        let (left, kept) = (try write("left"), try write("kept", keeps: true))
        await retention.watch(run: left)
        await retention.watch(run: kept)
        #expect(exists(left))
        clock.set(3)
        await retention.watch([])
        #expect(!exists(left) && exists(kept))
        #expect(removed.withLock(\.self) == [left])
        await retention.close()
    }

    @Test(
        "A clock that jumps ahead removes no run: neither of this service, nor of an earlier one while it is in doubt")
    func jump() async throws {
        let clock = Clock()
        let reports = Mutex([CaptureError]())
        let retention = SessionRetention(clock: clock.read) { error in reports.withLock { $0.append(error) } }
        let (own, earlier) = (try write("own"), try write("earlier", endedAfter: -1))
        await retention.watch([folder.path])
        clock.jump(100)
        await retention.watch([])
        #expect(exists(own) && exists(earlier))
        #expect(reports.withLock { $0.map(\.subject) } == ["the clock"])
        // The time of the run of this service comes by the steady clock.
        clock.set(3)
        await retention.watch([folder.path])
        #expect(!exists(own) && exists(earlier))
        await retention.close()
    }

    @Test("A run that was resumed and accepted later is removed after its new time")
    func accepted() async throws {
        let clock = Clock()
        let retention = SessionRetention(clock: clock.read) { Issue.record($0) }
        let run = try write("run")
        await retention.watch([folder.path])
        // Another process accepts it: no event tells this service.
        try write("run", endedAfter: 2)
        clock.set(3)
        await retention.watch([])
        #expect(exists(run))
        clock.set(4)
        await retention.watch([])
        #expect(!exists(run))
        await retention.close()
    }

    @Test("Runs of a folder that comes later, and runs that a folder got meanwhile, are removed in time")
    func reloaded() async throws {
        let clock = Clock()
        let retention = SessionRetention(clock: clock.read) { Issue.record($0) }
        await retention.watch([folder.path + "/first"])
        let (first, second) = (try write("first/run"), try write("second/run"))
        clock.set(3)
        await retention.watch([folder.path + "/first", folder.path + "/second"])
        #expect(!exists(first) && !exists(second))
        await retention.close()
    }

    @Test("A run whose folder is gone is no error, and a damaged one is reported and stays")
    func damaged() async throws {
        let clock = Clock()
        let reports = Mutex([CaptureError]())
        let retention = SessionRetention(clock: clock.read) { error in reports.withLock { $0.append(error) } }
        let (gone, damaged) = (try write("gone"), try write("damaged"))
        await retention.watch([folder.path])
        try folder.remove("gone")
        try folder.write("damaged/session.json", "{}")
        clock.set(3)
        await retention.watch([])
        #expect(!exists(gone) && exists(damaged))
        #expect(reports.withLock { $0.count } == 1)
        await retention.close()
    }

    @Test("Runs that are known without their records are removed in time; without that knowledge, the records are read")
    func known() async throws {
        let clock = Clock()
        let (known, read) = (try write("known/run"), try write("read/run"))
        let asked = Mutex<[Int]>([])
        let retention = SessionRetention(
            find: { [folder] folders, event in
                asked.withLock { $0.append(event) }
                guard folders == [folder.path + "/known"] else { return nil }
                return [known: Self.start.adding(.seconds(7200))]
            }, clock: clock.read, report: { Issue.record($0) })
        await retention.watch([folder.path + "/known"], after: 7)
        await retention.watch([folder.path + "/read"], after: 8)
        #expect(exists(known) && exists(read))
        clock.set(3)
        await retention.watch([folder.path + "/known"], after: 9)
        #expect(!exists(known) && !exists(read))
        #expect(asked.withLock { $0 } == [7, 8, 9])
        await retention.close()
    }
}
