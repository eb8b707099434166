// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import LibraryKit

@Suite("The index")
struct LibraryIndexTests {
    private let folder: TemporaryFolder
    private let index: LibraryIndex

    init() throws {
        folder = try TemporaryFolder()
        index = try LibraryIndex(folder)
    }

    @Test("Pages of any size list all pictures once, newest first")
    func pages() throws {
        try index.add((1...50).map { .picture($0) })
        let expected = (1...50).reversed().map { "garden-\($0)" }
        for limit in [1, 7, 50, 100] { #expect(try index.found(limit: limit) == expected) }
        #expect(try index.page(LibraryQuery(), limit: 0).items.count == 1)
    }

    @Test("Pictures of the same millisecond are listed once each")
    func sameMoment() throws {
        let items = (1...40).map { number in
            var item = LibraryItem.picture(number)
            item.facts.taken = .test(0)
            return item
        }
        try index.add(items)
        #expect(try Set(index.found(limit: 3)).count == 40)
        #expect(try index.found(limit: 3).count == 40)
    }

    @Test("A search finds words, beginnings of words, facets and days, alone and together")
    func search() throws {
        try index.add([.picture(1), .picture(2), .picture(3, series: "street", camera: "door")])
        try index.write { writer in
            try writer.set(
                ItemNotes(tags: ["First Snow", "winter"], stars: 4, title: "Überraschung"),
                of: ItemID(.test, .series("garden", line: 2)))
        }
        for (text, lines) in [
            ("snow", [2]), ("sno", [2]), ("sno ", []), ("uberraschung", [2]), ("\"first snow\"", [2]),
            ("\"snow first\"", []), ("tag:winter", [2]), ("tag:\"First Snow\"", [2]), ("tag:snow", []),
            ("series:garden", [2, 1]), ("series:gard", []), ("camera:door", [3]), ("street", [3]),
            ("series:garden -tag:winter", [1]), ("-tag:winter", [3, 1]), ("-snow", [3, 1]), ("stars:4", [2]),
            ("stars:0", [3, 1]), ("stars:3..5 series:garden", [2]), ("kind:still", [3, 2, 1]), ("kind:session", []),
            ("3.jpg", [3]), ("-tag:unknown", [3, 2, 1]), ("series:unknown", []), ("gar", [2, 1]), ("gard", [2, 1]),
            ("gar ", []), ("DOOR", [3]), ("desk 2", [2]), ("desk street", []), ("\"garden\"", [2, 1]), ("-garden", [3]),
            ("s", [3, 2]), ("-stars:0", [2]), ("-stars:1..5", [3, 1]), ("-stars:0..5", []), ("-kind:still", []),
            ("-kind:session", [3, 2, 1]), ("-kind:session -door", [2, 1]), ("still", []),
            ("series:garden series:street", []), ("tag:winter tag:\"First Snow\"", [2]), ("garden street", []),
            ("series:street camera:door", [3]), ("series:street camera:desk", []), ("tag:winter series:street", []),
        ] {
            let found = try index.found(text, limit: 1)
            #expect(found.map { Int($0.split(separator: "-")[1]) } == lines, "\(text)")
            #expect(try index.count(LibraryQuery(text)) == lines.count, "\(text)")
        }
    }

    @Test("Moments cut days, in lists and in counts, with and without terms")
    func moments() throws {
        let (folder, pictures) = (try TemporaryFolder(), (1...40).map { LibraryItem.picture($0, series: "s\($0 % 4)") })
        let index = try LibraryIndex(folder)
        try index.add(pictures)
        var query = LibraryQuery()
        (query.since, query.until) = (.test(100), .test(200))
        for terms in [
            [], [LibraryQuery.Term.any([Facet(.series, "s1"), Facet(.series, "s3"), Facet(.series, "none")])],
        ] {
            query.terms = terms
            let lines = try index.page(query, limit: 100).items.map(\.facts.taken)
            let expected = (10..<20).reversed().filter { terms.isEmpty || $0 % 2 == 1 }
            #expect(lines == expected.map { .test(Int64($0) * 10) })
            #expect(try index.count(query) == expected.count)
        }
        query.terms = [.any([])]
        #expect(try index.page(query, limit: 9).items.isEmpty && index.count(query) == 0)
        (query.terms, query.since) = ([], .test(300))
        #expect(try index.page(query, limit: 9).items.isEmpty && index.days(query).isEmpty)
    }

    @Test("A day is one of the zone of each picture, also in lists of days")
    func zones() throws {
        // 2026-03-01 23:30 in Auckland, and 2026-03-01 00:30 in Honolulu: 20 hours apart.
        let (auckland, honolulu) = (13 * 3600, -10 * 3600)
        var items = [LibraryItem.picture(1), .picture(2), .picture(3)]
        items[0].facts.taken = try #require(WallTime(iso8601: "2026-03-01T23:30:00.000+13:00"))
        items[1].facts.taken = try #require(WallTime(iso8601: "2026-03-01T00:30:00.000-10:00"))
        items[2].facts.taken = try #require(WallTime(iso8601: "2026-03-02T00:30:00.000+00:00"))
        #expect(items[0].facts.taken.utcOffset == auckland && items[1].facts.taken.utcOffset == honolulu)
        try index.add(items)
        #expect(Set(try index.found("day:2026-03-01")) == ["garden-1", "garden-2"])
        #expect(try index.found("after:2026-03-02") == ["garden-3"])
        let day = try #require(WallTime.day("2026-03-01"))
        #expect(try index.days(LibraryQuery()) == [LibraryDay(day: day + 1, count: 1), LibraryDay(day: day, count: 2)])
        #expect(try index.days(LibraryQuery("garden")).map(\.count) == [1, 2])
        #expect(try index.page(LibraryQuery(), from: .end(ofDay: day), limit: 9).items.count == 3)
    }

    @Test("Moments of 1970, of 1969 and of 2106 are listed in their order")
    func oddMoments() throws {
        let seconds: [Int64] = [4_294_967_296, 0, -86400, 253_402_300_799]
        let items = seconds.enumerated().map { number, second in
            var item = LibraryItem.picture(number + 1)
            item.facts.taken = WallTime(seconds: second, nanoseconds: 0, utcOffset: 0)
            return item
        }
        try index.add(items)
        #expect(try index.found(limit: 1).prefix(2) == ["garden-4", "garden-1"])
        #expect(try index.found("day:1969-12-31") == ["garden-3"] && index.found("before:1970-01-01").count == 1)
    }

    @Test("Pictures of the last moment of all leave room for further rows")
    func lastMoment() throws {
        var first = LibraryItem.picture(1)
        first.facts.taken = WallTime(seconds: 253_402_300_799, nanoseconds: 0, utcOffset: 0)
        let key = ItemKey(first)
        #expect(key.value < .max - (1 << 20))
    }

    @Test("An item that is put again changes its facts, keeps its notes, and counts once")
    func putAgain() throws {
        try index.add([.picture(1)])
        let id = ItemID(.test, .series("garden", line: 1))
        let notes = ItemNotes(tags: ["snow"], stars: 2)
        try index.write { try $0.set(notes, of: id) }
        let place = ItemPlace(folder: "/pictures", name: "1.jpg")
        let isChanged = try index.write { try $0.put(.picture(1), at: [place]) }
        #expect(!isChanged)
        var item = LibraryItem.picture(1, camera: "door")
        item.facts.taken = .test(1_000_000)
        let changed = item
        #expect(try index.write { try $0.put(changed, at: [place]) })
        let found = try #require(try index.item(id))
        #expect(found.item.notes == notes && found.item.facts == item.facts && found.places == [place])
        #expect(try index.found("snow camera:door") == ["garden-1"])
        #expect(try index.found("camera:desk").isEmpty)
        #expect(try index.days(LibraryQuery()).map(\.count) == [1])
    }

    @Test("A picture whose file another one replaced is gone")
    func replaced() throws {
        let place = ItemPlace(folder: "/pictures", name: "latest.jpg")
        try index.write { writer in
            try writer.put(.picture(1), at: [place])
            try writer.put(.picture(2), at: [place])
        }
        #expect(try index.found() == ["garden-2"])
        #expect(try index.item(at: place)?.id == ItemID(.test, .series("garden", line: 2)))
    }

    @Test("A picture in the trash is neither found nor counted, and comes back")
    func trash() throws {
        try index.add([.picture(1), .picture(2)])
        let id = ItemID(.test, .series("garden", line: 1))
        try index.write { try $0.set(.trash, of: id) }
        #expect(try index.found() == ["garden-2"] && index.found("garden") == ["garden-2"])
        #expect(try index.days(LibraryQuery()).map(\.count) == [1])
        try index.write { try $0.set(.present, of: id) }
        #expect(try index.found("garden") == ["garden-2", "garden-1"])
    }

    @Test("A removed picture leaves no word, no facet count and no place")
    func removed() throws {
        try index.add((1...20).map { .picture($0) })
        try index.write { writer in
            for line in 1...20 { try writer.remove(ItemID(.test, .series("garden", line: line))) }
        }
        #expect(try index.found().isEmpty && index.found("garden").isEmpty && index.days(LibraryQuery()).isEmpty)
        #expect(try index.values(of: .series).isEmpty)
        #expect(try index.item(at: ItemPlace(folder: "/pictures", name: "1.jpg")) == nil)
    }

    @Test("The values of a facet have their number of pictures")
    func values() throws {
        try index.add([.picture(1), .picture(2), .picture(3, series: "street", camera: "door")])
        let found = try index.values(of: .series)
        #expect(found.map(\.value) == ["garden", "street"] && found.map(\.count) == [2, 1])
    }

    @Test("A random walk of changes leaves the index that the items make in any order")
    func walk() throws {
        var (numbers, model) = (SplitMix(7), [ItemID: LibraryItem]())
        for _ in 0..<40 {
            let steps = (0..<25).map { _ in
                (Int.random(in: 1...30, using: &numbers), Int.random(in: 0...5, using: &numbers))
            }
            let moments = steps.map { _ in Int64.random(in: 0...3, using: &numbers) * 40_000 }
            try index.write { writer in
                for ((line, act), moment) in zip(steps, moments) {
                    let id = ItemID(.test, .series("garden", line: line))
                    switch act {
                    case 0:
                        #expect(try writer.remove(id) == (model.removeValue(forKey: id) != nil))
                    case 1:
                        let notes = ItemNotes(tags: ["t\(moment)"], stars: Int(moment / 40_000))
                        if try writer.set(notes, of: id) { model[id]?.notes = notes }
                    case 2: if try writer.set(.trash, of: id) { model[id]?.state = .trash }
                    case 3: if try writer.set(.present, of: id) { model[id]?.state = .present }
                    default:
                        var item = LibraryItem.picture(line)
                        item.facts.taken = .test(moment)
                        try writer.put(item, at: [ItemPlace(folder: "/pictures", name: "\(line).jpg")])
                        model[id, default: item].facts = item.facts
                    }
                }
            }
            let other = try TemporaryFolder()
            let rebuilt = try LibraryIndex(other)
            try rebuilt.write { writer in
                for item in model.values.shuffled(using: &numbers) {
                    try writer.put(item, at: [ItemPlace(folder: "/pictures", name: item.facts.fileName)])
                }
            }
            #expect(try index.dump == rebuilt.dump)
            for text in ["garden", "tag:t40000", "stars:1", "-stars:0", ""] {
                #expect(try Set(index.found(text)) == Set(rebuilt.found(text)), "\(text)")
                #expect(try index.days(LibraryQuery(text)) == rebuilt.days(LibraryQuery(text)), "\(text)")
            }
        }
    }

    @Test("A search for what pictures do not have finds nothing in an empty index")
    func emptyIndex() throws {
        #expect(try index.found("-snow ").isEmpty && index.found("-tag:snow").isEmpty)
    }

    @Test("A library keeps the name of its board, and gets another one only by request")
    func board() throws {
        try index.add([.picture(1)])
        #expect(try !LibraryIndex(folder: folder.path).isNew)
        #expect(try LibraryIndex(folder: folder.path).board == .test)
        let other = try #require(BoardName("other"))
        let error = #expect(throws: CaptureError.self) { try LibraryIndex(folder: folder.path, board: other) }
        #expect(error?.code == .configuration && error?.advice != nil)
        #expect(try index.found() == ["garden-1"])
        #expect(try LibraryIndex(folder: folder.path, board: other, renames: true).isNew)
        #expect(try LibraryIndex(folder: folder.path).board == other)
    }

    @Test("An index that is damaged or deleted has the folders of the library, which are stale")
    func keepsFolders() throws {
        let root = LibraryRoot(path: "/srv/a \"b\"\n", marker: "m", state: .online)
        try index.setRoot(root)
        try index.close()
        for damage in ["no database", nil] {
            try folder.remove("index.db")
            if let damage { try folder.write("index.db", damage) }
            let index = try LibraryIndex(folder)
            #expect(try index.roots() == [LibraryRoot(path: root.path, marker: "m", state: .stale)])
            try index.close()
        }
    }

    @Test(
        "A damaged record of the library is written again from its index",
        arguments: ["", "{", "[]", #"{"board": "a b", "folders": []}"#, #"{"board": "a", "folders": [{"path": 1}]}"#])
    func damagedRecord(text: String) throws {
        try index.setRoot(LibraryRoot(path: "/srv", marker: "m", state: .online))
        try index.close()
        try folder.write("library.json", text)
        let other = try LibraryIndex(folder)
        #expect(try other.roots().map(\.path) == ["/srv"])
        #expect(other.board == .test && !other.isNew)
        #expect(LibraryRecord(in: folder.path)?.folders.map(\.path) == ["/srv"])
        try other.close()
        // The host has another name than the board.
        try folder.write("library.json", text)
        #expect(try LibraryIndex(folder: folder.path).board == .test)
        #expect(try LibraryIndex(folder: folder.path).roots().map(\.path) == ["/srv"])
    }

    @Test("Forgetting a folder removes its pictures, and not those of a folder inside it")
    func forget() throws {
        for path in ["/srv", "/srv/in", "/other"] {
            try index.setRoot(LibraryRoot(path: path, marker: path, state: .online))
        }
        try index.write { writer in
            for (number, folder) in ["/srv/a", "/srv/in/b", "/other"].enumerated() {
                try writer.put(.picture(number + 1), at: [ItemPlace(folder: folder, name: "1.jpg")])
            }
        }
        try index.forget("/srv")
        #expect(try index.found() == ["garden-3", "garden-2"])
        #expect(try index.roots().map(\.path) == ["/other", "/srv/in"])
        let error = #expect(throws: CaptureError.self) { try index.forget("/srv") }
        #expect(error?.code == .noInput && error?.advice?.contains("/other") == true)
    }

    @Test("A tag is found in each form of Unicode")
    func forms() throws {
        try index.add([.picture(1), .picture(2)])
        try index.write { try $0.set(ItemNotes(tags: ["Cafe\u{301}"]), of: LibraryItem.picture(1).id) }
        try index.write { try $0.set(ItemNotes(tags: ["Caf\u{E9}"]), of: LibraryItem.picture(2).id) }
        for text in ["tag:Cafe\u{301}", "tag:Caf\u{E9}", "caf\u{E9}", "cafe\u{301}"] {
            #expect(try index.found(text).count == 2)
        }
        #expect(try index.values(of: .tag).map(\.count) == [2])
    }

    @Test("A damaged file, and a file of another program are replaced by an empty index")
    func damaged() throws {
        for content in ["", "no database", String(repeating: "SQLite format 3\0", count: 300)] {
            let other = try TemporaryFolder()
            try other.write("index.db", content)
            let index = try LibraryIndex(other)
            #expect(index.isNew)
            try index.add([.picture(1)])
            #expect(try index.found() == ["garden-1"])
        }
    }

    @Test("Any damaged byte of the file is an error or a list, and never ends the process")
    func damagedBytes() throws {
        let whole = try Self.bytes((1...200).map { .picture($0) })
        var numbers = SplitMix(9)
        for _ in 0..<60 {
            let other = try TemporaryFolder()
            var bytes = whole
            for _ in 0..<30 {
                bytes[Int.random(in: 100..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            try bytes.write(to: URL(filePath: other.path + "/index.db"))
            guard let index = try? LibraryIndex(other) else { continue }
            _ = (try? index.found(), try? index.found("tag:snow"), try? index.found("gard"), try? index.dump)
            _ = (try? index.days(LibraryQuery()), try? index.values(of: .tag), try? index.roots())
            _ = try? index.files(in: "/pictures")
            try? index.add([.picture(7), .picture(300)])
        }
    }

    /// The file of an index with these pictures, without its log.
    private static func bytes(_ items: [LibraryItem]) throws -> Data {
        let folder = try TemporaryFolder()
        let index = try LibraryIndex(folder)
        try index.add(items)
        try index.write { try $0.set(ItemNotes(tags: ["snow"], stars: 3), of: items[6].id) }
        try index.close()
        return try Data(contentsOf: URL(filePath: folder.path + "/index.db"))
    }

    @Test("A folder that cannot be written is one error with its remedy")
    func unwritable() {
        let error = #expect(throws: CaptureError.self) { try LibraryIndex(folder: "/proc/nothing", board: .test) }
        #expect(error?.code == .cannotCreate && error?.advice != nil)
    }
}
#endif
