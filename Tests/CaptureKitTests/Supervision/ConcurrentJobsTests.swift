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

    /// Without an interval, the series requests a picture as soon as the last one is stored: no slot depends on the
    /// speed of the machine, and a picture is being captured whenever another job comes or leaves. With an interval, it
    /// may miss a slot only while the machine stood still, which another reader of the same frames notices.
    @Test(
        "The series keeps every slot, and stores the camera's bytes, while other jobs come and go",
        .timeLimit(.minutes(jobs > 100 ? 60 : 20)), arguments: [StillFormat.raw, .jpeg], [nil, Duration.seconds(1)])
    func series(format: StillFormat, interval: Duration?) async throws {
        let camera = try await RepeatingCamera(format)
        let (hub, folder) = (CameraHub(), try TemporaryFolder(isInMemory: true))
        var configuration = camera.configuration
        (configuration.still, configuration.output) = (
            format, .files(try FileNameTemplate(parsing: "\(folder.path)/%n"))
        )
        // Without recovery, a loss of the camera ends the series.
        (configuration.schedule, configuration.recovery) = (interval.map { .every($0) } ?? .onRequest(), .off)
        let series = CaptureController(configuration, hub: hub)
        async let run = CaptureRecord.of(series) { event in
            switch event {
            case .settled, .stored: if interval == nil { await series.trigger() }
            default: break
            }
        }
        await series.pictures(1)
        let lease = hub.lease(camera.configuration, for: "a test")
        let session = try #require(await lease.opened()).session
        await lease.close()

        async let standstills = Self.standstills(of: session)
        let neighbors = try Neighbors(hub: hub, series: series, session: session, camera: camera, seed: Self.seed)
        await neighbors.perform(Self.jobs)
        await series.finish()
        let record = await run

        let seed: Comment = "HUB_SEED=\(Self.seed)"
        #expect(record.summary.ending == .stopped && record.isConsistent, seed)
        let (stops, missed) = (await standstills, record.missed)
        let details: Comment = "HUB_SEED=\(Self.seed), missed \(missed), no frames during \(stops)"
        #expect(record.failed.isEmpty && missed.allSatisfy { stops.explain($0, interval) }, details)
        #expect(record.captured == record.begun.filter { !missed.contains($0) }, seed)
        let slots = record.captured + missed
        #expect(slots.map(\.index).sorted() == Array(0..<slots.count), seed)
        #expect(record.interruptions.isEmpty, seed)
        try expectCleanFiles(of: record.stills, in: folder, of: camera, seed)
        #expect(await FrameFeed(session).next() == nil, "the hub holds no camera")
    }

    /// Returns the spans without a frame until the session ends, beyond ten frames.
    private static func standstills(of session: CameraSession) async -> [ClosedRange<ClockTime>] {
        let feed = FrameFeed(session)
        var (spans, last) = ([ClosedRange<ClockTime>](), PipelineClock.system.now)
        while await feed.next() != nil {
            let now = PipelineClock.system.now
            if now - last > .milliseconds(300) { spans.append(last...now) }
            last = now
        }
        return spans
    }

    private func expectCleanFiles(
        of stills: [Still], in folder: TemporaryFolder, of camera: RepeatingCamera, _ seed: Comment
    ) throws {
        #expect(stills.map(\.sequence) == Array(1..<stills.count + 1), seed)
        let paths = stills.compactMap(\.path)
        let sidePaths = camera.format == .raw ? paths.map(EncodedStill.sidePath) : []
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names.map { "\(folder.path)/\($0)" }) == Set(paths + sidePaths), seed)
        let changed = try paths.filter { path in
            try !camera.hasServed([UInt8](Data(contentsOf: URL(filePath: path))))
        }
        #expect(changed.isEmpty, seed)
    }
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
    fileprivate nonisolated func pictures(_ count: Int) async {
        var left = count
        for await event in listen() {
            if case .captured = event.event { left -= 1 }
            if left <= 0 { return }
        }
    }
}

/// A camera that repeats eight frames of noise, at most 33 a second.
struct RepeatingCamera: Sendable {
    /// The format of the frames, raw or JPEG; stills of this format contain the same bytes.
    let format: StillFormat
    /// A configuration that agrees with all others.
    let configuration: CaptureConfiguration
    let folder: TemporaryFolder
    private let frames: Set<[UInt8]>

    private static let (width, height) = (64, 48)

    init(_ format: StillFormat) async throws {
        self.format = format
        folder = try TemporaryFolder(isInMemory: true)
        var frames: Set<[UInt8]> = []
        for index in 0..<8 {
            let frame = try await Self.frame(format, index)
            try Data(frame).write(to: URL(filePath: "\(folder.path)/\(index)"))
            frames.insert(frame)
        }
        self.frames = frames
        let caps = format == .jpeg ? "image/jpeg" : "video/x-raw,format=I420,width=\(Self.width),height=\(Self.height)"
        // The files have no times; `identity` paces them.
        let source =
            "multifilesrc location=\(folder.path)/%d start-index=0 stop-index=7 loop=true do-timestamp=true"
            + " caps=\(caps),framerate=30/1 ! identity sleep-time=30000"
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        configuration.request.format = format == .jpeg ? "mjpeg" : "I420"
        // A busy machine must not look like a camera that stalls.
        (configuration.settle, configuration.stallLimit) = (.off, .seconds(300))
        self.configuration = configuration
    }

    private static func frame(_ format: StillFormat, _ index: Int) async throws -> [UInt8] {
        var noise = SplitMix(UInt64(index))
        func byte() -> UInt8 { .random(in: 0...255, using: &noise) }
        guard format == .jpeg else { return (0..<width * height * 3 / 2).map { _ in byte() } }
        let picture = RGBPicture(width: width, height: height) { _, _ in [byte(), byte(), byte()] }
        let jpeg = try await picture.sample().through("videoconvert ! video/x-raw,format=I420 ! jpegenc")
        return try #require(jpeg.buffer).bytes()
    }

    /// Returns `true` if the content of a still's file is a frame of the camera, with upright EXIF tags if it is a JPEG.
    func hasServed(_ bytes: [UInt8]) throws -> Bool {
        guard format == .jpeg else { return frames.contains(bytes) }
        let file = try JPEGFile(bytes)
        let orientation = ExifBlock(ofFile: bytes, .jpeg)?.orientation
        return file.exifCount == 1 && orientation == .upright && frames.contains(file.withoutExif().bytes)
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
