// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import ScheduleKit
import StillKit
import Testing

@testable import CaptureKit

@Suite("A capture with a ledger", .timeLimit(.minutes(5)))
struct LedgerRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/.gst-capture/a.ledger" }

    private func run(
        _ change: (inout CaptureConfiguration) -> Void = { _ in },
        onEvent: @escaping @Sendable (CaptureEvent, CaptureController) async -> Void = { _, _ in }
    ) async throws -> CaptureRecord {
        let template = try FileNameTemplate(parsing: folder.path + "/%n.jpg")
        return await CaptureRecord.of(CaptureRecord.source.replacing("raw,", with: "raw,format=I420,")) {
            $0.output = .files(template)
            $0.ledger = path
            $0.schedule = .every(.milliseconds(200), count: 4)
            // Without recovery and a stall, the last slot waits for a frame even if the machine stands still.
            ($0.recovery, $0.stallLimit) = (.off, .seconds(300))
            change(&$0)
        } onEvent: { event, controller in
            await onEvent(event, controller)
        }
    }

    @Test("A line with the hash of the file is in the ledger before the event of the picture")
    func lines() async throws {
        let path = path
        let record = try await run(onEvent: { event, _ in
            guard case .captured(let still) = event else { return }
            let lines = try? LedgerReader(path).lines()
            #expect(
                lines?.contains { $0.still?.file == still.path && $0.still?.sha256 == still.inspection?.sha256 } == true
            )
        })
        #expect(record.summary.captured + record.summary.missed == 4)
        let reader = try LedgerReader(path)
        try reader.eachLine { line in
            if line.entry.still != nil { #expect(line.check() == .good) }
        }
        #expect(try reader.totals().captured == record.summary.captured)
        #expect(try reader.runs().first?.end?.ending == "completed")
        let still = try #require(try reader.lines().compactMap(\.still).first)
        #expect(still.brightness.map { 0.2...0.8 ~= $0 } == true && still.sharpness.map { $0 > 0 } == true)
    }

    @Test("A capture without a ledger measures no picture")
    func none() async throws {
        let record = try await run { $0.ledger = nil }
        for case .captured(let still) in record.events {
            #expect(still.inspection == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { $0.hasSuffix(".jpg") })
    }

    @Test("Controls that a source lacks are reported once, and the ledger does not contain their values")
    func withoutControls() async throws {
        let record = try await run {
            $0.schedule = .single
            $0.controls = [ControlAssignment(name: "gain", value: "1")]
            ($0.locks, $0.ramps) = ([.focus], [.exposure])
        }
        let notices = record.events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(notices.map(\.code) == [.controlNotSet, .controlNotLocked, .controlNotRamped])
        #expect(notices.map(\.subject) == ["gain", "focus", "exposure"])
        #expect(notices.first?.description == "gain is not set: the source has no controls")
        let inspection = try #require(record.stills.first?.inspection)
        #expect(inspection.controls == nil)
    }

    @Test("When the capture has ended, the ledger and the summary count the same slots without a picture")
    func missed() async throws {
        let path = path
        let record = await CaptureRecord.of {
            ($0.ledger, $0.stallLimit) = (path, .seconds(300))
            $0.schedule = .every(.milliseconds(20), count: 40)
        }
        let totals = try LedgerReader(path).totals()
        #expect(totals.missed.values.reduce(0, +) == record.summary.missed)
        #expect(totals.captured == record.summary.captured && totals.failed == record.summary.failed)
    }

    @Test("A service continues a series that was killed at its first picture, also after a series of other settings")
    func killed() async throws {
        var configuration = CaptureConfiguration(
            source: .fragment(CaptureRecord.source),
            output: .files(try FileNameTemplate(parsing: folder.path + "/%n.jpg")))
        (configuration.ledger, configuration.schedule) = (path, .every(.seconds(10)))
        let other = Ledger(path, series: .seconds(20))
        try await other.open()
        try await other.append([.picture(0, folder.path + "/0.jpg")])
        await other.close(.stopped)
        let bytes = Array("picture".utf8)
        try Data(bytes).write(to: URL(filePath: folder.path + "/1.jpg"))
        var entry = LedgerEntry.picture(3, folder.path + "/1.jpg", sha256: SHA256.digits(of: bytes))
        guard case .captured(var still) = entry.outcome else { return }
        still.byteCount = bytes.count
        entry.outcome = .captured(still)
        let ledger = Ledger(path, series: SeriesDescription(configuration, LedgerPlace(path)))
        try await ledger.open()
        ledger.begin(at: .test(0))
        ledger.plan(entry)
        // The files of a killed process stay as they are, and its lock is free.
        await ledger.rest()
        try await Ledger.continueSeries(in: &configuration)
        #expect(configuration.position?.anchor == .test(0) && configuration.position?.lastIndex == 3)
        #expect(try LedgerReader(path).series().count == 2)
    }

    @Test("A ledger that another process uses is refused, and no picture is captured")
    func refused() async throws {
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        let record = try await run()
        await ledger.close(.completed)
        #expect(record.summary.captured == 0)
        #expect(record.failure?.contains("\(getpid())") == true)
    }

    @Test(
        "A full disk of the ledger costs no picture, and the ledger is complete when there is room again",
        .enabled(if: getuid() == 0, "optional: only root may mount a disk that is so small"))
    func fullDisk() async throws {
        let disk = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=512k") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let filler = disk + "/filler"
        let record = try await run {
            $0.ledger = disk + "/a.ledger"
            $0.schedule = .every(.milliseconds(200))
        } onEvent: { event, controller in
            switch event {
            case .captured(let still) where still.sequence == 1: Self.fill(filler)
            case .notice(let notice) where notice.description.contains("disk is full"): unlink(filler)
            case .notice: await controller.finish()
            default: break
            }
        }
        let notices = record.events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(notices.map(\.code) == [.ledgerNotWritten, .ledgerResumed], "\(notices)")
        #expect(notices.first?.description.contains("disk is full") == true)
        #expect(try LedgerReader(disk + "/a.ledger").totals().captured == record.summary.captured)
    }

    /// Fills the disk.
    private static func fill(_ path: String) {
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 1, count: 1024)
        while write(file, block, block.count) > 0 {}
        close(file)
    }
}
