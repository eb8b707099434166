// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import ServiceKit

@Suite("Pictures of a service", .timeLimit(.minutes(2)))
struct StillCatalogTests {
    private static let cameras = """
          garden:
            source: FRAMES
            series:
              first: { interval: 100ms, count: 5, output: FOLDER/first-%n.jpg }
              second: { interval: 150ms, count: 4, output: FOLDER/second-%n.jpg }
        """

    /// Series that miss no slot, even if the machine stands still.
    private static let slow = cameras.replacing("100ms", with: "1h").replacing("150ms", with: "1h")
        .replacing("count: 5", with: "count: 1")

    @Test("Pages of several series list each picture once, from new to old", arguments: [1, 2, 3, 100])
    func pages(limit: Int) async throws {
        try await TestService.run(Self.cameras) { test in
            var remaining: Set = ["first", "second"]
            while !remaining.isEmpty {
                let event = try await test.next("series") { $0["state"] == "completed" }
                remaining.remove(event.series ?? "")
            }
            let series = await test.service.allSeries
            var (stills, cursor): ([StillRecord], StillCursor?) = ([], nil)
            repeat {
                let page = try StillCatalog.page(of: series, before: cursor, limit: limit)
                #expect(page.stills.count <= limit)
                stills += page.stills
                cursor = page.next
                if let next = cursor { #expect(StillCursor(next.description) == next) }
            } while cursor != nil
            let files = try FileManager.default.contentsOfDirectory(atPath: test.folder.path)
            #expect(Set(stills.map(\.id)).count == files.count { $0.hasSuffix(".jpg") })
            let times = stills.map { $0.still.captured.millisecondsSince1970 }
            #expect(times == times.sorted(by: >))
            for still in stills {
                let found = try StillCatalog.still(still.id, in: series)
                #expect(found.path == still.path && found.camera == "garden" && found.mediaType == "image/jpeg")
            }
        }
    }

    @Test("IDs that no picture has are refused, and a cursor beyond the end begins with the newest picture")
    func unknown() async throws {
        try await TestService.run(Self.slow) { test in
            try await test.next("captured", of: "first")
            let series = await test.service.allSeries
            for text in ["first-999999999999999", "third-1", "a-1"] {
                let id = try #require(StillID(text))
                #expect(throws: CaptureError.self) { try StillCatalog.still(id, in: series) }
            }
            let far = StillCursor(lines: ["first": .max])
            #expect(try StillCatalog.page(of: series, before: far, limit: 1).stills.first?.id.series == "first")
            let over = StillCursor(lines: ["third": 5])
            let page = try StillCatalog.page(of: series, before: over, limit: 1)
            #expect(page.stills.isEmpty && page.next == nil)
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
