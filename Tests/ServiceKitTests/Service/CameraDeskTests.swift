// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import PipelineKit
import SessionKit
import Testing

@testable import CaptureKit
@testable import ServiceKit

@Suite("Changes while pictures are pending", .timeLimit(.minutes(2)))
struct PendingPictureTests {
    /// A camera whose pictures wait for the rasterizer.
    private static let held = """
          garden:
            source: FRAMES
            burn-in: [ { text: "layer" } ]
            output: FOLDER/%n.jpg

        """

    /// Returns the IDs of the stored pictures, from old to new.
    private static func listed(_ test: TestService) async throws -> [String] {
        var (filter, ids) = (LedgerFilter(), [String]())
        (filter.outcomes, filter.areStored) = ([.captured], true)
        for (_, series) in await test.service.allPictures {
            guard let ledger = series.ledger, DeviceFiles.exists(ledger) else { continue }
            try LedgerReader(ledger).eachLine(filter) { line throws(CaptureError) in
                ids.append("\(series.id)-\(line.id)")
            }
        }
        return ids
    }

    private static func created(_ id: String, on camera: String = "garden") throws -> CreatedSeries {
        let text = #"{"id": "\#(id)", "camera": "\#(camera)", "interval": "1h", "start": "2099-01-01T00:00:00"}"#
        return try CreatedSeries(Array(text.utf8), file: "body")
    }

    @Test("Pictures that are being stored are stored once, answered and listed when a client creates a series")
    func create() async throws {
        let rasterizer = HeldRasterizer()
        try await TestService.run(Self.held, rasterizer: rasterizer) { test in
            let requests = PictureRequests(test.service, state: nil)
            async let first = requests.capture(PictureRequest(), with: "garden", name: nil)
            await rasterizer.waitForPicture()
            try await test.service.create(Self.created("hourly"))
            async let second = requests.capture(PictureRequest(), with: "garden", name: nil)
            await rasterizer.waitForPicture()
            rasterizer.release()
            let ids = try await (first + second).map(\.id.description)
            #expect(Set(ids) == ["garden-1", "garden-2"])
            #expect(Set(try await Self.listed(test)).isSuperset(of: ids))
        }
    }

    @Test("A picture that is being stored is stored, answered and listed when a reload replaces its camera")
    func reload() async throws {
        let rasterizer = HeldRasterizer()
        try await TestService.run(Self.held, rasterizer: rasterizer) { test in
            let requests = PictureRequests(test.service, state: nil)
            async let first = requests.capture(PictureRequest(), with: "garden", name: nil)
            await rasterizer.waitForPicture()
            let next = try TestService.configuration(Self.held + "    quality: 50\n", in: test.folder)
            async let reload = test.service.reload(next)
            rasterizer.release()
            #expect(try await first.map(\.id.description) == ["garden-1"])
            _ = await reload
            let second = try await requests.capture(PictureRequest(), with: "garden", name: nil)
            #expect(second.map(\.id.description) == ["garden-2"])
            #expect(try await Self.listed(test) == ["garden-1", "garden-2"])
        }
    }

    @Test("A camera refuses requests until the pictures with its earlier settings are stored, and creates no file")
    func refused() async throws {
        let rasterizer = HeldRasterizer()
        try await TestService.run(Self.held, rasterizer: rasterizer, patience: .zero) { test in
            let requests = PictureRequests(test.service, state: nil)
            async let first = requests.capture(PictureRequest(), with: "garden", name: nil)
            await rasterizer.waitForPicture()
            let next = Self.held.replacing("burn-in: [ { text: \"layer\" } ]", with: "quality: 50")
            let desk = try await test.service.desk("garden")
            await test.service.reload(try TestService.configuration(next, in: test.folder))
            let error = await #expect(throws: CaptureError.self) {
                try await requests.capture(PictureRequest(), with: "garden", name: nil)
            }
            #expect(error?.code == .temporary)
            rasterizer.release()
            #expect(try await first.map(\.id.description) == ["garden-1"])
            await desk.completion.wait()
            let second = try await requests.capture(PictureRequest(), with: "garden", name: nil)
            #expect(second.map(\.id.description) == ["garden-2"])
            let names = try FileManager.default.contentsOfDirectory(atPath: test.folder.path)
            #expect(Set(names.filter { $0.hasSuffix(".jpg") }) == ["1.jpg", "2.jpg"])
        }
    }

    private static let delayed = PictureRequest(delay: .seconds(3600))

    @Test(
        "A reload ends the countdowns of a camera that it changes, and the camera's series begin with their new format")
    func countdown() async throws {
        @Sendable func text(_ size: String) -> String {
            """
              garden:
                camera: scene
                \(size)
                series: { quick: { interval: 100ms, output: FOLDER/%n.jpg } }

            """
        }
        try await TestService.run(text("width: 320")) { test in
            try await test.next("captured", of: "quick")
            async let snap = failure { try await test.service.snap("garden", Self.delayed) }
            try await test.next("opening") { $0.series == nil && $0.camera == "garden" }
            await test.service.reload(try TestService.configuration(text("width: 160"), in: test.folder))
            #expect(await snap == .hasChanged("garden"))
            #expect(try await test.service.callOff("garden") == 0)
            try await test.next("reloaded")
            // A series that a lease with the other size refuses would wait for an hour.
            try await test.next("captured", of: "quick")
        }
    }

    @Test("A reload that changes only when series capture leaves the requests and the other series of the camera alone")
    func schedule() async throws {
        @Sendable func text(_ interval: String) -> String {
            """
              garden:
                source: FRAMES
                interval: \(interval)
                series:
                  own: { interval: 3h, output: FOLDER/own-%n.jpg }
                  common: { output: FOLDER/common-%n.jpg }

            """
        }
        try await TestService.run(text("1h")) { test in
            try await test.state(.running, ofAll: ["own", "common"])
            async let snap = failure { try await test.service.snap("garden", Self.delayed) }
            try await test.next("opening") { $0.series == nil && $0.camera == "garden" }
            let states = test.service.listen()
            await test.service.reload(try TestService.configuration(text("2h"), in: test.folder))
            try await test.state(.running, of: "common")
            #expect(try await test.service.callOff("garden") == 1)
            #expect(await snap == .canceledRequest("garden"))
            await test.service.stop()
            var series: Set<String?> = []
            for await event in states where event.event.kind == "series" { series.insert(event.event.series) }
            #expect(series == ["common"])
        }
    }

    @Test("Calling off ends each pending request, also one that has not found its camera yet")
    func callOff() async throws {
        try await TestService.run("  garden: { source: FRAMES }\n") { test in
            async let first = failure { try await test.service.snap("garden", Self.delayed) }
            try await test.next("opening")
            async let second = failure { try await test.service.snap("garden", Self.delayed) }
            try await test.next("opening")
            #expect(try await test.service.callOff("garden") == 2)
            #expect(await first == .canceledRequest("garden"))
            #expect(await second == .canceledRequest("garden"))
        }
        let job = SnapJob(of: "garden", TestParts.make())
        await job.cancel(because: .canceledRequest("garden"))
        await #expect(throws: CaptureError.canceledRequest("garden")) {
            try await job.run(TestParts.picture) { _ in
                ((), nil)
            }
        }
    }

    @Test("A service that stops ends countdowns at once, and lets the picture that is being stored be stored")
    func stop() async throws {
        let rasterizer = HeldRasterizer()
        try await TestService.run(Self.held + "  desk: { source: FRAMES }\n", rasterizer: rasterizer) { test in
            let requests = PictureRequests(test.service, state: nil)
            async let stored = requests.capture(PictureRequest(), with: "garden", name: nil)
            await rasterizer.waitForPicture()
            async let pending = failure { try await test.service.snap("desk", Self.delayed) }
            try await test.next("opening") { $0.camera == "desk" }
            async let stop: Void = test.service.stop()
            // The picture of the other camera cannot be stored yet.
            #expect(await pending == .isStopping)
            rasterizer.release()
            #expect(try await stored.map(\.id.description) == ["garden-1"])
            await stop
        }
    }

    @Test("A picture without room in the memory of pending pictures is refused, and the next one is captured")
    func memory() async throws {
        let memory = PictureMemory(limit: 100)
        let configuration = TestParts.picture
        func capture() async throws(CaptureError) -> Int {
            try await SnapJob(of: "garden", TestParts.make(memory)).run(configuration) { still throws(CaptureError) in
                (still.byteCount, nil)
            }.stored.count
        }
        var places = [try #require(memory.reserve(1))]
        let refused = await #expect(throws: CaptureError.self) { try await capture() }
        #expect(refused == .picturesWait("garden") && refused?.code == .limit)
        places.append(try #require(memory.reserve(99)))
        #expect(memory.isFull)
        await #expect(throws: CaptureError.picturesWait("garden")) { try await capture() }
        places = []
        #expect(!memory.isFull)
        #expect(try await capture() == 1)
    }

    @Test("A request is refused while the picture of another one waits to be stored and fills the memory")
    func sharedMemory() async throws {
        let parts = TestParts.make(PictureMemory(limit: 1))
        let configuration = TestParts.picture
        let (isStoring, isStored) = (Completion(), Completion())
        async let first = SnapJob(of: "garden", parts).run(configuration) { still async throws(CaptureError) in
            isStoring.complete()
            await isStored.wait()
            return (still.width, nil)
        }
        await isStoring.wait()
        await #expect(throws: CaptureError.picturesWait("desk")) {
            try await SnapJob(of: "desk", parts).run(configuration) { _ in ((), nil) }
        }
        isStored.complete()
        let (stored, failure) = try await first
        #expect(stored == [64] && failure == nil && !parts.memory.isFull)
    }
}

@Suite("Jobs that hang", .timeLimit(.minutes(2)))
struct HangingJobTests {
    private static func cameras(_ interval: String) -> String {
        """
          garden:
            source: FRAMES
            series: { stuck: { interval: \(interval), burn-in: [ { text: "layer" } ], output: FOLDER/stuck-%n.jpg } }
          desk: { source: FRAMES }

        """
    }

    @Test("Reloads and requests are answered while a series hangs, and the series that replaces it begins after it")
    func reload() async throws {
        let rasterizer = HeldRasterizer()
        try await TestService.run(Self.cameras("1h"), rasterizer: rasterizer, patience: .zero) { test in
            await rasterizer.waitForPicture()
            for interval in ["2h", "3h"] {
                await test.service.reload(try TestService.configuration(Self.cameras(interval), in: test.folder))
                try await test.state(.waiting, of: "stuck")
            }
            #expect(
                try await test.status("stuck").error?.message == "waits for the end of a job with its earlier settings")
            let new = #"{"id": "hourly", "camera": "desk", "interval": "1h"}"#
            try await test.service.create(CreatedSeries(Array(new.utf8), file: "body"))
            try await test.next("captured", of: "hourly")
            try await test.service.remove(series: "hourly")
            rasterizer.release()
            try await test.state(.running, of: "stuck")
        }
    }

    @Test("A created series that hangs can be removed, and created again")
    func remove() async throws {
        let rasterizer = HeldRasterizer()
        let camera = "  garden: { source: FRAMES, burn-in: [ { text: layer } ] }\n"
        try await TestService.run(camera, rasterizer: rasterizer, patience: .zero) { test in
            let new = #"{"id": "hourly", "camera": "garden", "interval": "1h"}"#
            try await test.service.create(CreatedSeries(Array(new.utf8), file: "body"))
            await rasterizer.waitForPicture()
            try await test.service.remove(series: "hourly")
            #expect(await test.service.status.series.isEmpty)
            try await test.service.create(CreatedSeries(Array(new.utf8), file: "body"))
            try await test.state(.waiting, of: "hourly")
            rasterizer.release()
            try await test.state(.running, of: "hourly")
        }
    }

    @Test("A service that stops tells all jobs to end before it waits for one that hangs")
    func stop() async throws {
        let rasterizer = HeldRasterizer()
        try await TestService.run(Self.cameras("1h"), rasterizer: rasterizer) { test in
            await rasterizer.waitForPicture()
            let viewer = try await test.service.view("desk", StreamRequest())
            #expect(await viewer.next() != nil)
            async let pending = failure {
                try await test.service.snap("desk", PictureRequest(delay: .seconds(3600)))
            }
            try await test.next("opening") { $0.camera == "desk" && $0.series == nil }
            async let stop: Void = test.service.stop()
            while await viewer.next() != nil {}
            #expect(await pending == .isStopping)
            rasterizer.release()
            await stop
        }
    }

    @Test("The end of a camera ends a loan that is just opening it")
    func loan() async throws {
        let (isOpening, isOpen) = (Completion(), Completion())
        let hub = CameraHub { _, _ in
            isOpening.complete()
            await isOpen.wait()
            return nil
        }
        let camera = try TestService.configuration("  garden: { source: FRAMES }\n", in: TemporaryFolder()).cameras[0]
        let desk = CameraDesk(camera, TestParts.make(hub: hub))
        async let run: Void = desk.run()
        async let loan = failure { try await desk.lend(LoanSettings(Array("{}".utf8))) }
        await isOpening.wait()
        await desk.end(because: .hasChanged("garden"))
        isOpen.complete()
        #expect(await loan == .hasChanged("garden"))
        await run
        #expect(desk.completion.isComplete)
    }
}

@Suite("Created series without a camera", .timeLimit(.minutes(2)))
struct ParkedSeriesTests {
    private static func created(_ id: String) throws -> CreatedSeries {
        let text = #"{"id": "\#(id)", "camera": "garden", "interval": "1h", "start": "2099-01-01T00:00:00"}"#
        return try CreatedSeries(Array(text.utf8), file: "body")
    }

    @Test("Series whose camera was removed do not count to the limit")
    func limit() async throws {
        let folder = try TemporaryFolder()
        let full = try TestService.configuration("  garden: { source: FRAMES }\n", in: folder)
        let other = try TestService.configuration("  desk: { source: FRAMES }\n", in: folder)
        var (list, configuration) = (CreatedSeriesList(state: folder.path), full)
        for number in 1...CreatedSeriesList.most {
            configuration = try await list.create(Self.created("series\(number)"), in: configuration)
        }
        let (before, created) = (configuration, list)
        let error = await failure {
            var list = created
            return try await list.create(Self.created("further"), in: before)
        }
        #expect(error?.code == .cannotCreate)
        let new = #"{"id": "further", "camera": "desk", "interval": "1h"}"#
        let next = try await list.create(CreatedSeries(Array(new.utf8), file: "body"), in: list.added(to: other).0)
        #expect(next.allSeries.map(\.series.id) == ["further"])
        #expect(list.contains("series1", in: next))
    }

    @Test("A created series whose camera was removed can be deleted")
    func parked() async throws {
        let (garden, desk) = ("  garden: { source: FRAMES }\n", "  desk: { source: FRAMES }\n")
        try await TestService.run(garden) { test in
            try await test.service.create(Self.created("hourly"))
            let errors = await test.service.reload(try TestService.configuration(desk, in: test.folder))
            #expect(errors.map(\.subject) == ["series hourly"])
            try await test.service.remove(series: "hourly")
            await #expect(throws: CaptureError.unknown("series", "hourly")) {
                try await test.service.remove(series: "hourly")
            }
            #expect(await test.service.reload(try TestService.configuration(garden, in: test.folder)).isEmpty)
            #expect(await test.service.status.series.isEmpty)
        }
    }
}

@Suite("Sessions that start during a change", .timeLimit(.minutes(2)))
struct StartingSessionTests {
    private static func text(_ name: String) -> String {
        "  garden: { source: FRAMES }\nsessions:\n  \(name): { session: avatar, camera: garden, output: FOLDER }\n"
    }

    @Test("A session that is just starting does not escape a reload that removes it")
    func reload() async throws {
        try await TestService.run(Self.text("one")) { test in
            for _ in 0..<10 {
                async let start = try? test.service.startSession("one")
                await test.service.reload(try TestService.configuration(Self.text("two"), in: test.folder))
                _ = await start
                await test.service.reload(try TestService.configuration(Self.text("one"), in: test.folder))
                #expect(try await test.service.session("one").state == nil)
            }
        }
    }

    @Test(
        "A start ends if its configuration was replaced before, or is replaced while that is checked",
        arguments: [false, true])
    func replaced(isCurrent: Bool) async throws {
        let folder = try TemporaryFolder()
        let configuration = try TestService.configuration(Self.text("one"), in: folder)
        let session = try #require(configuration.sessions.first)
        let sessions = SessionDesk(TestParts.make(), nil, SessionRetention { _ in }, tasks: TaskScope())
        let storage = session.storage(of: configuration.cameras)
        let error = await #expect(throws: CaptureError.self) {
            try await sessions.start(session, resuming: nil, forKiosk: false, cameras: [:], storage: storage) {
                if isCurrent { _ = await sessions.leave(because: .hasChanged("session")) { _ in true } }
                return isCurrent
            }
        }
        #expect(error?.code == .temporary)
        #expect(await sessions.state(of: "one") == nil)
    }
}

/// The parts of a service for a test of one job.
enum TestParts {
    /// A picture whose bytes go to the caller.
    static var picture: CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .fragment(CaptureRecord.source), output: .caller)
        configuration.settle = .off
        return configuration
    }

    static func make(_ memory: PictureMemory = PictureMemory(), hub: CameraHub = CameraHub()) -> ServiceParts {
        ServiceParts(
            hub: hub, controls: ControlChanges(hub), memory: memory, rasterizer: nil, emit: { _ in },
            giveUp: { _ in }, retryDelay: .seconds(1), observer: nil)
    }
}
