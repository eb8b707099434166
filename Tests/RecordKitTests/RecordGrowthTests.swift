// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import DatabaseKit
@testable import RecordKit

@Suite("Records in large numbers")
struct RecordGrowthTests {
    @Test("A page, a search, a new record and a change cost the same with 1,100 and 4,400 records")
    func growth() async throws {
        let (few, many) = (try await steps(1100), try await steps(4400))
        for (name, steps) in many {
            let before = try #require(few[name])
            // Trees are one level higher, and the full-text index has a few more segments.
            #expect(steps.steps <= before.steps * 3 / 2 + 500, "\(name): \(before.steps), then \(steps.steps)")
            #expect(steps.scanned <= before.scanned + 8, "\(name): \(before.scanned), then \(steps.scanned)")
        }
    }

    private func steps(_ count: Int) async throws -> [String: (steps: Int, scanned: Int)] {
        StatementLog.install()
        let setting = try StoreSetting()
        let store = setting.store
        let edits = (0..<count).map { number in
            var edit = RecordEdit()
            edit.values = ["number": "\(number)", "owner": "Ann \(number)", "notes": "word\(number % 100) common"]
            return edit
        }
        #expect(try store.apply(edits, to: StoreSetting.card).contains(where: \.isRefused) == false)
        let some = try #require(
            try store.identifiers(of: "card", key: "\(count / 2)", isTrashed: false, most: 1).first)
        var steps: [String: (Int, Int)] = [:]
        func measure(_ name: String, _ body: () throws -> Void) async throws {
            let statements = try await StatementLog.statements(on: store.path, during: body)
            steps[name] = (statements.steps, statements.scannedRows)
        }
        var query = RecordQuery(kind: "card")
        try await measure("page") { _ = try store.page(query) }
        try await measure("page of all kinds") { _ = try store.page(RecordQuery()) }
        query.before = Int64(count / 2)
        try await measure("page in the middle") { _ = try store.page(query) }
        query = RecordQuery(kind: "card")
        for words in ["common", "comm", "word com", "absent"] {
            query.words = words
            try await measure("search \(words)") { _ = try store.page(query) }
        }
        try await measure("record") { _ = try store.record(some) }
        try await measure("create") { try setting.card("new", owner: "Bob", notes: "word1 common") }
        try await measure("change") {
            _ = try store.change(some, from: 1, to: RecordContent(values: ["number": "changed", "notes": "word2"]))
        }
        try await measure("trash") { _ = try store.trash(some, from: 2) }
        try await measure("expire") { _ = try store.expire { _ in 0 } }
        return steps
    }
}
