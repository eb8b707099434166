// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import ServiceKit

@Suite("Pictures of a service", .timeLimit(.minutes(2)))
struct StillCatalogTests {
    /// A series that misses no slot, even if the machine stands still.
    private static let slow = """
          garden:
            source: FRAMES
            series:
              first: { interval: 1h, count: 1, output: FOLDER/first-%n.jpg }
        """

    @Test("IDs that no picture has are refused; that of a picture finds it")
    func unknown() async throws {
        try await TestService.run(Self.slow) { test in
            try await test.next("captured", of: "first")
            let series = await test.service.allSeries
            for text in ["first-999999999999999", "third-1", "a-1"] {
                let id = try #require(StillID(text))
                #expect(throws: CaptureError.self) { try StillCatalog.still(id, in: series) }
            }
            let still = try StillCatalog.still(try #require(StillID("first-1")), in: series)
            #expect(still.camera == "garden" && still.mediaType == "image/jpeg")
            #expect(still.path == test.folder.path + "/first-1.jpg")
        }
    }

    @Test("The ledger of a series is read in steps as JSON lines and CSV, without paths")
    func ledger() async throws {
        try await TestService.run(Self.slow) { test in
            _ = try await test.next("series", of: "first") { $0["state"] == "completed" }
            let series = try #require(await test.service.allSeries.first?.series)
            var pages = try LedgerPages(series, .jsonl, LedgerFilter())
            var text = ""
            while let more = try pages.next() { text += more }
            let lines = try text.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            #expect(!lines.isEmpty && lines.allSatisfy { $0?["outcome"] is String })
            #expect(text.contains("\"still\":\"first-") && !text.contains(test.folder.path))
            var table = try LedgerPages(series, .csv, LedgerFilter())
            #expect(table.head.hasPrefix("still,run,slot,") && !table.head.contains("file"))
            #expect(try table.next()?.split(separator: "\r\n").count == lines.count)
        }
    }
}
