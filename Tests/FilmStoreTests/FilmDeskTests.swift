// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import FilmKit
import Foundation
import LedgerKit
import PipelineKit
import Synchronization
import Testing

@testable import FilmStore

@Suite("Films that clients order", .timeLimit(.minutes(10)))
struct FilmDeskTests {
    private static let order = Array(#"{"series":"garden","rate":25}"#.utf8)

    /// The reports of a desk.
    private final class Reports: Sendable {
        private let list = Mutex<[FilmDesk.Report]>([])
        private let wakeup = Wakeup()

        func add(_ report: FilmDesk.Report) {
            list.withLock { $0.append(report) }
            wakeup.signal()
        }

        var made: [StoredClip] {
            list.withLock { $0.compactMap { if case .change(.made(let film)) = $0 { film } else { nil } } }
        }
        var failures: [CaptureError] {
            list.withLock { $0.compactMap { if case .failed(let error) = $0 { error } else { nil } } }
        }

        func wait(_ what: String, _ isFulfilled: @escaping @Sendable (Reports) -> Bool) async throws {
            try await awaiting(what, seen: "\(self.list.withLock { $0 })") {
                while true {
                    let signals = self.wakeup.signals
                    if isFulfilled(self) || Task.isCancelled { return }
                    await self.wakeup.wait(after: signals)
                }
            }
        }
    }

    private static func desk(
        _ series: TestSeries, in folder: String, _ reports: Reports, failing error: CaptureError? = nil
    ) throws -> FilmDesk {
        let ledger = series.settings.ledger
        return try FilmDesk(folder, nil) { _ throws(CaptureError) in
            if let error { throw error }
            return try FilmSource(ledger)
        } report: {
            reports.add($0)
        }
    }

    @Test func `An order becomes a film in the list, one after the other`() async throws {
        let (series, folder, reports) = (try await TestSeries(), try TemporaryFolder(), Reports())
        try await series.capture(12)
        let desk = try Self.desk(series, in: folder.path + "/films", reports)
        try await desk.make(try FilmOrder(Self.order))
        let making = await desk.making
        #expect(try making?.order == FilmOrder(Self.order))
        let second = await #expect(throws: CaptureError.self) { try await desk.make(try FilmOrder(Self.order)) }
        #expect(second?.code == .cannotCreate)
        async let run: Void = desk.run()
        try await reports.wait("the film") { $0.made.count == 1 }
        let film = reports.made[0]
        #expect(film.frameCount == 12 && film.state == .complete && film.duration == .milliseconds(480))
        #expect(try await desk.folder.page(before: nil, limit: 5).map(\.id) == [1])
        try await awaiting("the end of the order") { while await desk.making != nil { await Task.yield() } }
        await desk.finish()
        await run
    }

    @Test func `An order that no process has ended is made by the next one`() async throws {
        let (series, folder, reports) = (try await TestSeries(), try TemporaryFolder(), Reports())
        try await series.capture(8)
        let path = folder.path + "/films"
        try await Self.desk(series, in: path, reports).make(try FilmOrder(Self.order))
        let next = try Self.desk(series, in: path, reports)
        async let run: Void = next.run()
        try await reports.wait("the film") { $0.made.count == 1 }
        await next.finish()
        await run
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }.isEmpty)
    }

    @Test func `A canceled film leaves no file, and an order that fails is reported`() async throws {
        let (series, folder, reports) = (try await TestSeries(), try TemporaryFolder(), Reports())
        try await series.capture(8)
        let path = folder.path + "/films"
        let desk = try Self.desk(series, in: path, reports)
        try await desk.make(try FilmOrder(Self.order))
        try await desk.cancel()
        async let run: Void = desk.run()
        try await awaiting("the end of the order") { while await desk.making != nil { await Task.yield() } }
        await desk.finish()
        await run
        #expect(reports.made.isEmpty && reports.failures.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.isEmpty)
        let unknown = CaptureError(.noInput, "is not known", subject: "garden")
        let failing = try Self.desk(series, in: path, reports, failing: unknown)
        let error = await #expect(throws: CaptureError.self) { try await failing.make(try FilmOrder(Self.order)) }
        let making = await failing.making
        #expect(error == unknown && making == nil)
        let cancel = await #expect(throws: CaptureError.self) { try await failing.cancel() }
        #expect(cancel?.code == .noInput)
    }
}
