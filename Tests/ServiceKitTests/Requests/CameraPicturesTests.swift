// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LedgerKit
import PipelineKit
import PresetKit
import ScheduleKit
import Testing

@testable import CaptureKit
@testable import ServiceKit

@Suite("Pictures that clients request", .timeLimit(.minutes(2)))
struct CameraPicturesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func camera(
        _ name: String = "%n.jpg", _ change: (inout CaptureSettings) -> Void = { _ in }
    ) -> ServiceCamera {
        var settings = CaptureSettings()
        settings.output = folder.path + "/p/" + name
        change(&settings)
        return ServiceCamera(id: "garden", settings: settings, series: [])
    }

    /// Stores a picture of a hundred bytes.
    private func store(
        _ pictures: CameraPictures, side: [UInt8]? = nil, meanwhile: @Sendable () async -> Void = {}
    ) async throws -> String {
        let due = PipelineClock.system.now
        var still = Still(
            slot: Slot(index: 0, due: due, cause: .trigger), burstIndex: 0, path: nil, sequence: 1, byteCount: 100,
            width: 1, height: 1, captured: WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0), offset: .zero,
            isLate: false, encodingTime: .zero, storingTime: .zero, bytes: nil)
        still.sideFile = side
        return try await pictures.store(still, Array(repeating: 7, count: 100)) { _, _ in await meanwhile() }
            .description
    }

    private var files: [String] { DeviceFiles.names(in: folder.path + "/p").filter { !$0.hasPrefix(".") }.sorted() }

    @Test("A picture is refused while nothing is mounted, and nothing is written below the mount point")
    func unmounted() async throws {
        let pictures = try CameraPictures(camera { $0.mount = folder.path + "/p" })
        try StillFolder.make(folder.path + "/p")
        let error = await #expect(throws: CaptureError.self) { try await store(pictures) }
        #expect(error?.subject == folder.path + "/p")
        #expect(DeviceFiles.names(in: folder.path + "/p").isEmpty)
        await pictures.close()
    }

    @Test("A limit of the camera refuses pictures, also those of a client that comes after a restart")
    func limit() async throws {
        let camera = camera { $0.maxCount = 2 }
        let first = try CameraPictures(camera)
        for _ in 0..<2 { _ = try await store(first) }
        await #expect(throws: CaptureError.self) { try await store(first) }
        await first.close()
        let second = try CameraPictures(camera)
        await #expect(throws: CaptureError.self) { try await store(second) }
        #expect(files == ["1.jpg", "2.jpg"])
        await second.close()
    }

    @Test("A limit that prunes removes the oldest picture, and the ledger has the removal")
    func pruning() async throws {
        let pictures = try CameraPictures(camera { ($0.maxCount, $0.onLimit) = (2, .prune) })
        for _ in 0..<4 { _ = try await store(pictures) }
        let path = try #require(pictures.series.ledger)
        await pictures.close()
        #expect(files == ["3.jpg", "4.jpg"])
        var removed: [String] = []
        try LedgerReader(path).eachLine { line throws(CaptureError) in
            if let file = line.removal?.file { removed.append(DeviceFiles.name(of: file)) }
        }
        #expect(removed.sorted() == ["1.jpg", "2.jpg"])
    }

    @Test("A client cannot fill the disk: some space stays free unless the camera says otherwise")
    func floor() async throws {
        #expect(camera().requested?.settings.keepFree == .share(0.05))
        let pictures = try CameraPictures(camera { $0.keepFree = .share(1) })
        let error = await #expect(throws: CaptureError.self) { try await store(pictures) }
        #expect(error?.subject == "--keep-free" && files.isEmpty)
        await pictures.close()
    }

    @Test("A raw picture has its side file, and is removed with it")
    func sideFile() async throws {
        let camera = camera("%n.raw")
        let pictures = try CameraPictures(camera)
        let id = try await store(pictures, side: [1, 2])
        #expect(files == ["1.raw", "1.raw.json"])
        let still = try StillCatalog.still(try #require(StillID(id)), in: [("garden", pictures.series)])
        try await pictures.remove(still)
        #expect(files.isEmpty)
        await pictures.close()
    }

    @Test("A picture that waits for its plan while another one is removed has its file")
    func removal() async throws {
        let pictures = try CameraPictures(camera())
        let first = try #require(StillID(try await store(pictures)))
        _ = try await store(pictures) {
            do {
                try await pictures.remove(try StillCatalog.still(first, in: [("garden", pictures.series)]))
            } catch {
                Issue.record(error)
            }
        }
        #expect(files == ["2.jpg"])
        await pictures.close()
    }

    @Test("A name without a number has the time of the request, and is followed by the same name with a number")
    func repeatedName() async throws {
        let pictures = try CameraPictures(camera("%Y.jpg"))
        let year = try #require(WallTime.now().formatted("%Y"))
        for _ in 0..<2 { _ = try await store(pictures) }
        #expect(files == ["\(year)-2.jpg", "\(year).jpg"])
        await pictures.close()
    }

    @Test("A session is bound by the mount of its camera if its runs are on it, and always leaves some space")
    func session() throws {
        func storage(_ output: String) throws -> StoragePolicy {
            let text = """
                  garden: { source: FRAMES, mount: "FOLDER/stick" }
                sessions:
                  avatar: { camera: garden, output: "\(output)" }
                """
            try StillFolder.make(folder.path + "/stick/runs")
            let configuration = try TestService.configuration(text, in: folder)
            return try #require(configuration.sessions.first).storage(of: configuration.cameras)
        }
        #expect(try storage("FOLDER/stick/runs").mount == folder.path + "/stick")
        #expect(try storage("FOLDER").mount == nil)
        #expect(try storage("FOLDER").limits.keepFree == .share(0.05))
    }
}
