// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import OverlayCompositor
import OverlayRaster
import PipelineKit
import ScheduleKit
import StillKit
import Testing

@testable import CaptureKit

/// The number of other jobs is 30 for each format, or 1,000 by `HUB_JOBS=1000`. `HUB_SEED` repeats the jobs of a failed
/// run.
@Suite("A series beside other jobs on its camera")
struct ConcurrentJobsTests {
    private static let variables = ProcessInfo.processInfo.environment
    private static let jobs = variables["HUB_JOBS"].flatMap { Int($0) } ?? 30
    private static let seed = variables["HUB_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

    @Test(
        "The series keeps every slot, and stores the camera's bytes, while other jobs come and go",
        .timeLimit(.minutes(jobs > 100 ? 60 : 10)), arguments: [StillFormat.raw, .jpeg], [nil, Duration.seconds(1)])
    func series(format: StillFormat, interval: Duration?) async throws {
        let (camera, hub) = (try await RepeatingCamera(format), CameraHub())
        let undisturbed = UndisturbedSeries(of: camera, interval, "HUB_SEED=\(Self.seed)")
        try await undisturbed.run(on: hub) { series, session in
            let neighbors = try Neighbors(hub: hub, series: series, session: session, camera: camera, seed: Self.seed)
            await neighbors.perform(Self.jobs)
        }
    }
}

/// A job that uses the camera beside the series, chosen at random.
private struct Visit: Sendable {
    enum Job: CaseIterable {
        /// Draws an outline on a preview while the series captures `count` pictures, and captures one itself.
        case preview
        case picture
        case burst
        /// Opens the camera and rests `count` times.
        case lease
        /// A series that is canceled at its event with the number `count`, or before it runs.
        case canceled
    }

    let job: Job
    let count: Int
    let orientation: Orientation
    let isMirrored: Bool
    let burnsIn: Bool

    init(using random: inout SplitMix) {
        job = Job.allCases[Int.random(in: 0..<Job.allCases.count, using: &random)]
        count = .random(in: 0...4, using: &random)
        orientation = Orientation.allCases[Int.random(in: 0..<Orientation.allCases.count, using: &random)]
        isMirrored = .random(using: &random)
        burnsIn = .random(using: &random)
    }
}

/// The jobs beside the series.
private struct Neighbors: Sendable {
    private let hub: CameraHub
    private let series: CaptureController
    private let session: CameraSession
    private let configuration: CaptureConfiguration
    private let seed: UInt64
    private let folder: TemporaryFolder
    private let rasterizer = CairoRasterizer()
    private let outline: Layer

    /// - Parameters:
    ///   - session: The session of the camera, which stays open while the series runs.
    ///   - seed: Decides which jobs run, and in which order.
    init(
        hub: CameraHub, series: CaptureController, session: CameraSession, camera: RepeatingCamera, seed: UInt64
    ) throws {
        (self.hub, self.series, self.session) = (hub, series, session)
        (configuration, self.seed) = (camera.configuration, seed)
        folder = try TemporaryFolder()
        let drawing =
            ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect width="3" height="2" fill="#f00"/></svg>"##
        outline = Layer("outline", .outline(Outline(name: "outline", path: try folder.write("outline.svg", drawing))))
    }

    /// Runs this many jobs, up to four at a time.
    func perform(_ count: Int) async {
        var random = SplitMix(seed)
        var left = count
        while left > 0 {
            let visits = (0..<Int.random(in: 1...min(4, left), using: &random)).map { _ in Visit(using: &random) }
            await withTaskGroup(of: Void.self) { group in
                for visit in visits { group.addTask { await perform(visit) } }
            }
            left -= visits.count
        }
    }

    private func perform(_ visit: Visit) async {
        switch visit.job {
        case .preview: await preview(visit)
        case .picture: await capture(visit, burst: 1)
        case .burst: await capture(visit, burst: 3)
        case .lease: await lease(visit)
        case .canceled: await cancel(visit)
        }
    }

    private func preview(_ visit: Visit) async {
        var configuration = configuration(of: visit)
        configuration.schedule = .onRequest(count: 1)
        (configuration.preview, configuration.overlay) = (request(of: visit), [outline])
        let controller = controller(configuration)
        var isDrawn = false
        let record = await CaptureRecord.of(controller) { event in
            guard case .drawn = event, !isDrawn else { return }
            isDrawn = true
            await series.pictures(visit.count)
            await controller.trigger()
        }
        expect(record, of: visit, pictures: 1)
    }

    private func capture(_ visit: Visit, burst: Int) async {
        var configuration = configuration(of: visit)
        configuration.burst = burst
        expect(await CaptureRecord.of(controller(configuration)), of: visit, pictures: burst)
    }

    private func lease(_ visit: Visit) async {
        let lease = hub.lease(configuration(of: visit), for: "a lease")
        for _ in 0..<visit.count {
            let camera = await lease.opened()
            #expect(camera?.session === session, "the camera was closed: \(visit), HUB_SEED=\(seed)")
            await lease.rest()
        }
        // A lease may end at rest or while it needs frames.
        if visit.isMirrored { await lease.open() }
        await lease.close()
    }

    private func cancel(_ visit: Visit) async {
        var configuration = configuration(of: visit)
        configuration.schedule = .every(.milliseconds(50))
        if visit.isMirrored { (configuration.preview, configuration.overlay) = (request(of: visit), [outline]) }
        let controller = controller(configuration)
        if visit.count == 0 { await controller.cancel() }
        var left = visit.count
        let record = await CaptureRecord.of(controller) { _ in
            left -= 1
            if left == 0 { await controller.cancel() }
        }
        #expect(record.summary.ending == .stopped, "\(visit), HUB_SEED=\(seed)")
    }

    private func controller(_ configuration: CaptureConfiguration) -> CaptureController {
        CaptureController(configuration, hub: hub, rasterizer: rasterizer)
    }

    private func configuration(of visit: Visit) -> CaptureConfiguration {
        var configuration = configuration
        (configuration.orientation, configuration.burnIn) = (visit.orientation, visit.burnsIn ? [outline] : [])
        return configuration
    }

    private func request(of visit: Visit) -> PreviewRequest {
        var request = PreviewRequest()
        (request.sink, request.isMirrored) = (.none, visit.isMirrored)
        return request
    }

    private func expect(_ record: CaptureRecord, of visit: Visit, pictures count: Int) {
        let hasNotices = record.events.contains { if case .notice = $0 { true } else { false } }
        #expect(
            record.summary.ending == .completed && record.captured.count == count && !hasNotices,
            "\(record.summary): \(visit), HUB_SEED=\(seed)")
    }
}
