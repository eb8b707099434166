// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import ScheduleKit
import StillKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite("Storing live photos", .timeLimit(.minutes(5)))
struct LivePhotoTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var ledger: String { folder.path + "/a.ledger" }

    /// Adds bytes in place of a movie, after a task of the test.
    private final class FakeMotion: MotionRecording {
        static let movie: [UInt8] = [1, 2, 3]
        private let prepare: @Sendable (ClockTime) async throws(CaptureError) -> Void
        private let state = Mutex(false)
        /// The moments since which frames are held.
        private let holds = Mutex<[ClockTime]>([])

        init(
            _ prepare: @escaping @Sendable (ClockTime) async throws(CaptureError) -> Void = { _ throws(CaptureError) in
            }
        ) { self.prepare = prepare }

        var isKeeping: Bool { state.withLock { $0 } }

        func follow(_ session: CameraSession) async { state.withLock { $0 = true } }
        func rest() async { state.withLock { $0 = false } }
        func abandon() {}

        func hold(since moment: ClockTime) -> MotionHold {
            holds.withLock { $0.append(moment) }
            return MotionHold { [weak self] in
                self?.holds.withLock { holds in holds.firstIndex(of: moment).map { _ = holds.remove(at: $0) } }
            }
        }

        /// `true` if no frames are held.
        var holdsNothing: Bool { holds.withLock { $0.isEmpty } }

        func livePhoto(_ still: [UInt8], at moment: ClockTime) async throws(CaptureError) -> [UInt8] {
            #expect(holds.withLock { $0.contains { $0 <= moment } }, "the frames of a picture are held")
            try await prepare(moment)
            return still + Self.movie
        }
    }

    private func run(
        _ motion: FakeMotion, _ change: (inout CaptureConfiguration) -> Void = { _ in }
    ) async throws -> [CaptureEvent] {
        let template = try FileNameTemplate(parsing: folder.path + "/%n.jpg")
        var configuration = CaptureConfiguration(
            source: .fragment(CaptureRecord.source.replacing("raw,", with: "raw,format=I420,")),
            output: .files(template))
        (configuration.ledger, configuration.motion) = (ledger, MotionSpan())
        configuration.schedule = .every(.milliseconds(200), count: 3)
        change(&configuration)
        let record = await CaptureRecord.of(CaptureController(configuration, motion: motion))
        #expect(!motion.isKeeping && motion.holdsNothing)
        return record.events
    }

    /// Checks the files of all lines of the ledger, and returns their number.
    private func checkedLines() throws -> Int {
        var count = 0
        try LedgerReader(ledger).eachLine { line in
            guard line.entry.still != nil else { return }
            #expect(line.check() == .good)
            count += 1
        }
        return count
    }

    private func photos(_ events: [CaptureEvent]) -> [(still: Still, hasMovie: Bool)] {
        events.compactMap { if case .livePhoto(let still, let hasMovie) = $0 { (still, hasMovie) } else { nil } }
    }

    private func bytes(_ still: Still) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: try #require(still.path))))
    }

    @Test("The still is durable first; the ledger has one line, of the file with the movie")
    func order() async throws {
        let events = try await run(FakeMotion())
        let stills = events.compactMap { if case .captured(let still) = $0 { still } else { nil } }
        let photos = photos(events)
        #expect(photos.count == stills.count && photos.allSatisfy(\.hasMovie))
        for (still, photo) in zip(stills, photos) {
            #expect(still.ledgerLine == nil && photo.still.path == still.path)
            #expect(photo.still.byteCount == still.byteCount + FakeMotion.movie.count)
            #expect(try bytes(photo.still).suffix(3) == FakeMotion.movie[...])
        }
        #expect(try checkedLines() == photos.count)
        #expect(!FileManager.default.fileExists(atPath: ledger + "-planned"))
    }

    @Test("A picture that a person removed meanwhile stays removed")
    func removed() async throws {
        let folder = folder.path
        let events = try await run(
            FakeMotion { _ throws(CaptureError) in unlink(folder + "/1.jpg") }
        ) { $0.schedule = .single }
        #expect(photos(events).map(\.hasMovie) == [false])
        #expect(!FileManager.default.fileExists(atPath: folder + "/1.jpg"))
        let notices = events.compactMap { if case .notice(let notice) = $0 { notice.code } else { nil } }
        #expect(notices == [.movieNotJoined])
    }

    @Test("Without a movie, the picture stays as it is, and has its line")
    func withoutMovie() async throws {
        let events = try await run(
            FakeMotion { _ throws(CaptureError) in throw CaptureError(.temporary, "no frame was kept") })
        let photos = photos(events)
        #expect(!photos.isEmpty && photos.allSatisfy { !$0.hasMovie && $0.still.ledgerLine != nil })
        #expect(try checkedLines() == photos.count)
    }

    @Test("The limits of a series remove live photos with their movies, and none that still waits for its movie")
    func limits() async throws {
        let events = try await run(FakeMotion()) {
            $0.limits.maxCount = 1
            $0.limits.policy = .prune
        }
        let removed = events.compactMap { if case .removed(let stills) = $0 { stills } else { nil } }.joined()
        let photos = photos(events)
        #expect(removed.map(\.path) == photos.dropLast().compactMap(\.still.path))
        #expect(removed.map(\.byteCount) == photos.dropLast().map(\.still.byteCount))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count { $0.hasSuffix(".jpg") } == 1)
    }
}
