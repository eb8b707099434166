// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Foundation
import PipelineKit
import ScheduleKit
import StillKit
import Synchronization
import Testing

/// A series on the camera of a hub, which other jobs on that hub must not disturb.
package struct UndisturbedSeries {
    private let camera: RepeatingCamera
    private let interval: Duration?
    private let seed: Comment

    /// Prepares a series.
    ///
    /// - Parameters:
    ///   - interval: The time between two pictures; `nil` to request each as soon as the last one is stored.
    ///   - seed: Says in failures which random jobs ran.
    package init(of camera: RepeatingCamera, _ interval: Duration?, _ seed: Comment) {
        (self.camera, self.interval, self.seed) = (camera, interval, seed)
    }

    /// Runs the series beside jobs, and checks that it keeps every slot and stores the camera's bytes.
    ///
    /// Without an interval no slot depends on the speed of the machine, and a picture is being captured whenever another
    /// job comes or leaves. With an interval, the series may miss a slot only while the machine stood still, which
    /// another reader of the same frames notices.
    ///
    /// - Parameter jobs: Receives the series, and the session of the camera, which stays open while the series runs.
    package func run(
        on hub: CameraHub, beside jobs: (CaptureController, CameraSession) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(isInMemory: true)
        var configuration = camera.configuration
        (configuration.still, configuration.output) = (
            camera.format, .files(try FileNameTemplate(parsing: "\(folder.path)/%n"))
        )
        // Without recovery, a loss of the camera ends the series.
        (configuration.schedule, configuration.recovery) = (interval.map { .every($0) } ?? .onRequest(), .off)
        let series = CaptureController(configuration, hub: hub)
        let start = FirstSlot()
        async let run = CaptureRecord.of(series) { event in
            switch event {
            case .willCapture: start.record()
            case .settled, .stored: if interval == nil { await series.trigger() }
            default: break
            }
        }
        await series.pictures(1)
        let lease = hub.lease(camera.configuration, for: "a test")
        let session = try #require(await lease.opened()).session
        await lease.close()

        async let standstills = Self.standstills(of: session, since: start.moment)
        try await jobs(series, session)
        await series.finish()
        let record = await run

        #expect(record.summary.ending == .stopped && record.isConsistent, seed)
        let (stops, missed) = (await standstills, record.missed)
        let details: Comment = "\(seed), missed \(missed), no frames during \(stops)"
        #expect(record.failed.isEmpty && missed.allSatisfy { stops.explain($0, interval) }, details)
        #expect(record.captured == record.begun.filter { !missed.contains($0) }, seed)
        let slots = record.captured + missed
        #expect(slots.map(\.index).sorted() == Array(0..<slots.count), seed)
        #expect(record.interruptions.isEmpty, seed)
        try expectCleanFiles(of: record.stills, in: folder)
        #expect(await FrameFeed(session).next() == nil, "the hub holds no camera")
    }

    /// Returns the spans without a frame from the first slot until the session ends, beyond ten frames. The first one ends
    /// when the reader begins, which is soon after the first picture.
    private static func standstills(
        of session: CameraSession, since start: ClockTime
    ) async -> [ClosedRange<ClockTime>] {
        let feed = FrameFeed(session)
        var (spans, last) = ([ClosedRange<ClockTime>](), start)
        while await feed.next() != nil {
            let now = PipelineClock.system.now
            if now - last > .milliseconds(300) { spans.append(last...now) }
            last = now
        }
        return spans
    }

    private func expectCleanFiles(of stills: [Still], in folder: TemporaryFolder) throws {
        #expect(stills.map(\.sequence) == Array(1..<stills.count + 1), seed)
        let paths = stills.compactMap(\.path)
        // A picture without EXIF has its tags beside it.
        let sidePaths = camera.format == .raw ? paths.map { $0 + ".json" } : []
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names.map { "\(folder.path)/\($0)" }) == Set(paths + sidePaths), seed)
        let changed = try paths.filter { path in
            try !camera.hasServed([UInt8](Data(contentsOf: URL(filePath: path))))
        }
        #expect(changed.isEmpty, seed)
    }
}

/// The moment at which the first slot of a series began.
private final class FirstSlot: Sendable {
    private let first = Mutex<ClockTime?>(nil)

    func record() { first.withLock { $0 = $0 ?? PipelineClock.system.now } }

    /// The moment; now if no slot has begun.
    var moment: ClockTime { first.withLock(\.self) ?? PipelineClock.system.now }
}

extension [ClosedRange<ClockTime>] {
    /// `true` if the machine stood still while a slot of a series with this interval could be met.
    fileprivate func explain(_ slot: Slot, _ interval: Duration?) -> Bool {
        guard let interval else { return false }
        return contains { $0.overlaps(slot.due - interval...slot.due + interval * 2) }
    }
}

extension CaptureRecord {
    /// The events that a series without a fault does not emit.
    fileprivate var interruptions: [CaptureEvent] {
        var openings = 0
        return events.filter { event in
            switch event {
            case .opening:
                openings += 1
                return openings > 1
            case .lost, .stalled, .recovering, .recovered, .resting, .storagePaused, .notice: return true
            default: return false
            }
        }
    }
}

extension CaptureController {
    /// Returns after this many further pictures, or at the end of the capture.
    package nonisolated func pictures(_ count: Int) async {
        var left = count
        for await event in listen() {
            if case .captured = event.event { left -= 1 }
            if left <= 0 { return }
        }
    }
}

extension CameraLease {
    /// Opens the camera, and returns it when it delivers frames; `nil` if the lease is refused or has ended.
    package func opened() async -> OpenCamera? {
        await open()
        for await event in events {
            switch event {
            case .ready(let camera, _): return camera
            case .gone: return nil
            default: break
            }
        }
        return nil
    }
}
