// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LedgerKit
import SystemBase
import Testing

@testable import ServiceKit

@Suite("Folder of a series' pictures", .timeLimit(.minutes(2)))
struct PictureFolderTests {
    private let folder: TemporaryFolder
    private let pictures: CraftedPictures

    init() throws {
        folder = try TemporaryFolder()
        pictures = try CraftedPictures(folder)
    }

    @Test("A picture below the folder is read, and removed with its line")
    func own() async throws {
        let file = try folder.write("pictures/2026/1.jpg", "picture")
        try await pictures.add([(file, "picture")])
        let still = try pictures.still(1)
        #expect(try still.contents(most: 100) == Array("picture".utf8))
        let store = try CameraPictures(pictures.camera)
        try await store.remove(still)
        await store.close()
        #expect(!DeviceFiles.exists(file))
        #expect(throws: CaptureError.self) { try pictures.still(1) }
    }

    @Test("A path in a ledger that leads out of the folder is neither read nor removed")
    func outside() async throws {
        let secret = "secret"
        let key = try folder.write("key.pem", secret)
        let picture = try folder.write("other/key.jpg", secret)
        let hidden = try folder.write("pictures/tokens.json", secret)
        try folder.link("pictures/link.jpg", to: picture)
        try folder.link("pictures/other", to: folder.path + "/other")
        let base = pictures.path
        let paths = [
            key, picture, hidden, "\(base)/../key.pem", "\(base)/../other/key.jpg", "../other/key.jpg",
            "\(base)/link.jpg", "\(base)/other/key.jpg", "\(base)/2026/../../other/key.jpg", "/etc/passwd", "",
            "/", "/proc/self/environ", "\(base)-2/1.jpg", "\(base)/\u{1}.jpg",
        ]
        try await pictures.add(paths.map { ($0, secret) })
        let store = try CameraPictures(pictures.camera)
        for line in 1...paths.count {
            guard let still = try? pictures.still(line) else { continue }
            #expect(throws: CaptureError.self, "\(paths[line - 1])") { try still.contents(most: 100) }
            #expect(throws: CaptureError.self) { try still.exif() }
            await #expect(throws: CaptureError.self) { try await Thumbnails().thumbnail(of: still) }
            try? await store.remove(still)
        }
        await store.close()
        for file in [key, picture, hidden, base + "/link.jpg"] { #expect(DeviceFiles.exists(file), "\(file)") }
    }

    @Test("A file that replaced a picture is not removed")
    func replaced() async throws {
        let file = try folder.write("pictures/2026/1.jpg", "changed")
        try await pictures.add([(file, "picture")])
        let store = try CameraPictures(pictures.camera)
        let still = try pictures.still(1)
        let error = await #expect(throws: CaptureError.self) { try await store.remove(still) }
        await store.close()
        #expect(error?.code == .usage && DeviceFiles.exists(file))
        #expect(try pictures.still(1).path == file)
    }

    @Test("The removal of a file that is gone is recorded")
    func gone() async throws {
        try await pictures.add([("\(pictures.path)/2026/1.jpg", "picture")])
        let store = try CameraPictures(pictures.camera)
        try await store.remove(try pictures.still(1))
        await store.close()
        #expect(throws: CaptureError.self) { try pictures.still(1) }
    }

    @Test("The removal that a killed service has left is recorded at its next start")
    func killed() async throws {
        let file = "\(pictures.path)/2026/1.jpg"
        try await pictures.add([(file, "picture")])
        let still = try pictures.still(1)
        let path = try #require(pictures.camera.requested?.ledger)
        let ledger = Ledger(path, series: .init(template: "%n.jpg", interval: nil, schedule: "on request"))
        try await ledger.open()
        ledger.plan(LedgerRemoval(file: file, time: .now(), reason: LedgerRemoval.request), isDurable: true)
        await ledger.rest()
        try still.folder.remove(still)
        await CameraPictures.completeRemovals(of: pictures.camera)
        var reasons: [String] = []
        try LedgerReader(path).eachLine { if let removal = $0.removal { reasons.append(removal.reason) } }
        #expect(reasons == ["request"])
        #expect(throws: CaptureError.self) { try pictures.still(1) }
    }
}
