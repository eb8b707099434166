// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import DatabaseKit
@testable import RecordKit

@Suite("Lists and searches of records")
struct RecordSearchTests {
    private let setting: StoreSetting
    private var store: RecordStore { setting.store }

    init() throws { setting = try StoreSetting() }

    private func numbers(_ words: String, personal: Bool = false, trash: Bool = false) throws -> [String] {
        var query = RecordQuery(kind: "card")
        (query.words, query.mayReadPersonal, query.isTrashed) = (words, personal, trash)
        let page = try store.page(query)
        #expect(page.total == page.records.count)
        return page.records.compactMap { $0.content.values["number"] }
    }

    @Test func `Pages have each record once, the one that changed last first`() throws {
        var ids = try (0..<25).map { try setting.card("\($0)").id }
        // A clock that steps back does not change the order.
        setting.now.seconds -= 100_000
        _ = try store.change(ids[3], from: 1, to: RecordContent(values: ["number": "3", "notes": "new"]))
        ids.append(ids.remove(at: 3))
        _ = try store.create("post", RecordContent(sides: ["picture": try setting.picture()]))
        var (query, found) = (RecordQuery(kind: "card"), [RecordID]())
        query.limit = 10
        repeat {
            let page = try store.page(query)
            #expect(page.total == 25)
            found += page.records.map(\.id)
            query.before = page.next
        } while query.before != nil
        #expect(found == ids.reversed())
        #expect(try store.page(RecordQuery()).total == 26)
        #expect(try store.counts() == ["card": 25, "post": 1])
    }

    @Test func `The trash is a list of its own`() throws {
        let record = try setting.card("1", notes: "word")
        _ = try store.trash(record.id, from: 1)
        #expect(try numbers("") == [] && numbers("", trash: true) == ["1"])
        #expect(try numbers("word") == [] && numbers("word", trash: true) == ["1"])
        #expect(try store.counts() == [:])
        _ = try store.restore(record.id, from: 2)
        #expect(try numbers("word") == ["1"] && numbers("", trash: true) == [])
    }

    @Test func `A search finds the beginnings of words, and all words have to occur`() throws {
        try setting.card("123", notes: "Blue card, Müller’s shop")
        try setting.card("456", notes: "blue house")
        #expect(try numbers("blu") == ["456", "123"] && numbers("BLUE mull") == ["123"])
        #expect(try numbers("blue 45") == ["456"] && numbers("lue") == [])
    }

    @Test func `A personal value is found only by those who may read it, and no index has it`() throws {
        try setting.card("1", owner: "Ann Zyxwv", notes: "blue")
        #expect(try numbers("zyx") == [] && numbers("zyx", personal: true) == ["1"])
        #expect(try numbers("ZYXWV blue", personal: true) == ["1"] && numbers("yxw", personal: true) == [])
        let terms = try store.perform { database throws(DatabaseError) in
            try database.number("SELECT count(*) FROM words WHERE words MATCH 'text : \"zyxwv\"'")
        }
        #expect(terms == 0)
    }

    @Test func `A field that becomes personal leaves the index, and the other way round`() throws {
        try setting.card("1", owner: "Ann", notes: "blue")
        var kind = StoreSetting.card
        (kind.fields[1].isPersonal, kind.fields[2].isPersonal) = (false, true)
        try setting.open([kind])
        #expect(try numbers("ann") == ["1"] && numbers("blue") == [])
        kind.key = "notes"
        try setting.open([kind])
        #expect(try store.identifiers(of: "card", key: "blue", isTrashed: false, most: 5).count == 1)
        #expect(throws: RecordRefusal.self) {
            try store.create("card", RecordContent(values: ["number": "2", "notes": "blue"]))
        }
    }

    @Test("No text of a person is an operator of the index, and none is an error", arguments: [false, true])
    func hostile(personal: Bool) throws {
        try setting.card("1", notes: "blue card")
        for text in [
            "\"", "'", "blue OR card*", "text : blue", "NEAR(a b)", "a AND", "-", "--", "*", "^a", "(", "{}", "\0", "%",
            "_",
            String(repeating: "a ", count: 10_000), String(repeating: "x", count: 100_000), "😀", "ㄱ", "ⅷ", "\u{301}",
        ] {
            _ = try numbers(text, personal: personal)
        }
        #expect(try numbers("blue \" card", personal: personal) == ["1"])
        #expect(try numbers(" - ", personal: personal) == [])
    }

    @Test func `Records are found by the beginning of their IDs and by their keys`() throws {
        let record = try setting.card("a/b")
        let other = try setting.card("2")
        let start = String(record.id.description.prefix(8))
        #expect(try store.identifiers(beginning: start, most: 5) == [record.id])
        #expect(try Set(store.identifiers(beginning: "", most: 5)) == [record.id, other.id])
        #expect(try store.identifiers(of: "card", key: "a/b", isTrashed: false, most: 5) == [record.id])
        #expect(try store.identifiers(of: "card", key: "a/b", isTrashed: true, most: 5) == [])
    }

    private func change(_ action: Int, _ target: Record?, _ content: RecordContent) throws -> Record {
        guard let target, action < 3 else { return try store.create("card", content) }
        if action == 0 { return try store.change(target.id, from: target.revision, to: content) }
        if action == 1 { return try store.trash(target.id, from: target.revision) }
        return try store.restore(target.id, from: target.revision)
    }

    @Test func `Random changes agree with records in memory`() throws {
        var generator = SplitMix(21)
        var known: [RecordID: Record] = [:]
        var order: [RecordID] = []
        let words = ["red", "green", "blue"]
        for step in 0..<400 {
            let content = RecordContent(values: [
                "number": "\(Int.random(in: 0..<60, using: &generator))",
                "notes": words.randomElement(using: &generator)!,
            ])
            let target = order.randomElement(using: &generator).flatMap { known[$0] }
            let result = Result { try change(Int.random(in: 0..<5, using: &generator), target, content) }
            switch result {
            case .success(let record):
                if known[record.id] != record {
                    order.removeAll { $0 == record.id }
                    order.append(record.id)
                }
                known[record.id] = record
            case .failure(let error):
                // The number is taken, or the record is in the trash.
                #expect(error is RecordRefusal)
                if case RecordRefusal.missing = error { #expect(target?.isTrashed == true) }
            }
            guard step % 20 == 0 else { continue }
            for (isTrashed, word) in [(false, ""), (true, ""), (false, "gre"), (true, "blue")] {
                var query = RecordQuery(kind: "card")
                (query.isTrashed, query.words, query.limit) = (isTrashed, word, 1000)
                let expected = order.reversed().filter { id in
                    known[id]?.isTrashed == isTrashed
                        && (word.isEmpty || known[id]?.content.values["notes"]?.hasPrefix(word) == true)
                }
                let page = try store.page(query)
                #expect(page.records.map(\.id) == expected && page.total == expected.count)
                query.mayReadPersonal = true
                #expect(try store.page(query) == page)
            }
            let present = known.values.filter { !$0.isTrashed }.compactMap { $0.content.values["number"] }
            #expect(Set(present).count == present.count)
        }
    }
}
