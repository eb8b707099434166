// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureKit
import CaptureTestSupport
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Ledgers that another program wrote", .timeLimit(.minutes(2)))
struct CraftedLedgerTests {
    private static let cameras = """
          garden: { camera: scene, width: 320, height: 240, output: FOLDER/pictures/%Y/%n.jpg }
        """
    private static let secret = "the key of the service, which no client may read"

    /// Writes the ledger of the camera's requested pictures.
    private func write(_ lines: [(path: String, content: String)], in folder: TemporaryFolder) async throws {
        try folder.write("pictures/keep", "")
        let template = try FileNameTemplate(parsing: folder.path + "/pictures/%Y/%n.jpg")
        let ledger = Ledger(
            Ledger.standardPath(for: template),
            series: SeriesDescription(template: "%Y/%n.jpg", interval: nil, schedule: "on request"))
        try await ledger.open()
        for (index, line) in lines.enumerated() {
            var entry = LedgerEntry.picture(
                index, line.path, sha256: SHA256.digits(of: Array(line.content.utf8)))
            if case .captured(var still) = entry.outcome {
                still.byteCount = line.content.utf8.count
                if line.path.isEmpty { still.captured = WallTime(seconds: 0, nanoseconds: 0, utcOffset: 999_999) }
                entry.outcome = .captured(still)
            }
            try await ledger.append([entry])
        }
        await ledger.close(.stopped)
    }

    @Test("No request reads or removes a file that is not in the folder of the pictures")
    func outside() async throws {
        let folder = try TemporaryFolder()
        let outside = [
            try folder.write("key.pem", Self.secret), try folder.write("other/key.jpg", Self.secret),
            try folder.write("pictures/tokens.json", Self.secret),
        ]
        try folder.write("pictures/2026/1.jpg", "picture")
        try folder.link("pictures/link.jpg", to: outside[1])
        try folder.link("pictures/other", to: folder.path + "/other")
        let base = folder.path + "/pictures"
        let paths = outside + ["\(base)/link.jpg", "\(base)/other/key.jpg", "\(base)/../other/key.jpg", "../key.pem"]
        try await write(paths.map { ($0, Self.secret) } + [("\(base)/2026/1.jpg", "picture")], in: folder)
        try await MemoryService.run(Self.cameras, in: folder) { service in
            for line in 1...paths.count {
                let path = "/api/v1/stills/garden-\(line)"
                for place in [path, path + "/thumbnail", path + "/exif"] {
                    let response = try await service.get(place)
                    #expect(response.status == 404, "\(paths[line - 1]): \(response.status)")
                    #expect(!response.text.contains(Self.secret))
                }
                #expect(try await service.request("DELETE", path).status >= 400)
            }
            let ids = (1...paths.count + 1).map { "garden-\($0)" }.joined(separator: ",")
            let archive = try await service.get("/api/v1/stills.zip?ids=\(ids)")
            #expect(archive.status == 200 && archive.body.range(of: Data("picture".utf8)) != nil)
            #expect(archive.body.range(of: Data(Self.secret.utf8)) == nil)
            let own = "/api/v1/stills/garden-\(paths.count + 1)"
            #expect(try await service.get(own).text == "picture")
            #expect(try await service.request("DELETE", own).status == 204)
            #expect(try await service.get(own).status == 404)
        }
        for file in outside + [base + "/link.jpg"] { #expect(DeviceFiles.exists(file), "\(file)") }
    }

    @Test("A damaged line makes no list fail, and the list says so")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let sound = try folder.write("pictures/2026/1.jpg", "picture")
        try await write([(sound, "picture"), ("", "")], in: folder)
        try await MemoryService.run(Self.cameras, in: folder) { service in
            let list = try await service.get("/api/v1/stills")
            #expect(list.status == 200 && (list.json["stills"] as? [Any])?.count == 1)
            #expect((list.json["faults"] as? [String])?.first?.hasPrefix("garden: ") == true)
            #expect(!list.text.contains(folder.path))
            // Pictures can still be requested.
            let snap = try await service.request("POST", "/api/v1/cameras/garden/snap", "Idempotency-Key: one")
            #expect(snap.status == 201, "\(snap.text)")
        }
    }
}
#endif
