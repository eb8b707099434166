// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Foundation
import SystemBase
import Testing

@testable import ServiceKit

@Suite("Requested pictures and their requests", .timeLimit(.minutes(5)))
struct RequestedPictureTests {
    private static let cameras = """
          garden:
            source: FRAMES
            output: FOLDER/%n.jpg
        """

    private func pictures(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".jpg") }.sorted()
    }

    private let recovered: PictureRequests.RecoveredResponse = { _, stills in
        stills.isEmpty ? nil : RecordedResponse(status: 201, headers: [], body: Array("\(stills.map(\.id))".utf8))
    }

    @Test("A picture whose line cannot be written is not stored, the service says so, and the repeat stores one")
    func ledgerFault() async throws {
        try await TestService.run(Self.cameras) { test in
            let requests = PictureRequests(test.service, state: test.folder.path + "/state")
            let journal = requests.journal
            _ = try await requests.capture(PictureRequest(), with: "garden", name: nil)
            #expect(await test.service.status.isReady)
            let ledger = try #require(await test.service.allPictures.first { $0.series.id == "garden" }?.series.ledger)
            do {
                // As a full disk does, another writer keeps the line from being written.
                let other = try Database(ledger, .write)
                try other.run("BEGIN IMMEDIATE")
                #expect(try await journal.begin("key", fingerprint: "f") == .new)
                await #expect(throws: CaptureError.self) {
                    try await requests.capture(PictureRequest(), with: "garden", name: "key")
                }
                await journal.release("key")
                try other.run("ROLLBACK")
            }
            #expect(try pictures(test.folder).count == 1)
            let status = await test.service.status
            #expect(!status.isReady && status.faults.contains { $0.hasPrefix("garden: ") })
            #expect(try await journal.begin("key", fingerprint: "f") == .interrupted)
            #expect(try await requests.resume("key", recovered) == nil)
            #expect(try await journal.begin("key", fingerprint: "f") == .new)
            let stills = try await requests.capture(PictureRequest(), with: "garden", name: "key")
            #expect(try stills.count == 1 && pictures(test.folder).count == 2)
            #expect(await test.service.status.isReady)
        }
    }

    @Test("A request that failed after its picture was stored is answered with that picture when it is repeated")
    func stored() async throws {
        try await TestService.run(Self.cameras) { test in
            let requests = PictureRequests(test.service, state: test.folder.path + "/state")
            #expect(try await requests.journal.begin("key", fingerprint: "f") == .new)
            let stills = try await requests.capture(PictureRequest(), with: "garden", name: "key")
            // Its response was never recorded.
            await requests.journal.release("key")
            #expect(try await requests.journal.begin("key", fingerprint: "f") == .interrupted)
            let response = try await requests.resume("key", recovered)
            #expect(response?.body == Array("\(stills.map(\.id))".utf8))
            #expect(try pictures(test.folder).count == 1)
            #expect(try await requests.journal.begin("key", fingerprint: "f") == response.map { .known($0) })
        }
    }

    @Test("A request is not forgotten while the disk of its pictures is missing")
    func missingDisk() async throws {
        let folder = try TemporaryFolder()
        let crafted = try CraftedPictures(folder)
        let bytes = Array("picture".utf8)
        let picture = PlannedPicture(
            camera: "garden", path: crafted.path + "/2026/5.jpg", sha256: SHA256.digits(of: bytes),
            byteCount: bytes.count, width: 2, height: 3, captured: .test(0), due: .test(0), offset: 0, isLate: false,
            burstIndex: 0, sequence: 5)
        let pictures = try CameraPictures(crafted.camera)
        let error = await #expect(throws: CaptureError.self) { try await pictures.recover(picture) }
        #expect(error?.code == .temporary && error?.advice != nil)
        try await crafted.add([(crafted.path + "/2026/1.jpg", "other")])
        #expect(try await pictures.recover(picture) == nil)
        try folder.write("pictures/2026/5.jpg", "picture")
        #expect(try await pictures.recover(picture)?.line == 2)
        #expect(try await pictures.recover(picture)?.line == 2, "one line")
        await pictures.close()
    }
}
