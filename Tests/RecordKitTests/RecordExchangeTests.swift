// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import Foundation
import Testing

@testable import DatabaseKit
@testable import RecordKit

@Suite("Exchange files of records")
struct RecordExchangeTests {
    private let setting: StoreSetting
    private let folder: TemporaryFolder
    private var store: RecordStore { setting.store }

    init() throws { (setting, folder) = (try StoreSetting(), try TemporaryFolder()) }

    private func load(
        _ name: String, _ text: String, kind: RecordKind = StoreSetting.card, isPartial: Bool = false,
        isTrial: Bool = false
    ) throws -> RecordImport.Report {
        var reader = RecordImport(try folder.write(name, text), into: store, kind: kind)
        return try reader.run(isPartial: isPartial, isTrial: isTrial)
    }

    private func messages(_ report: RecordImport.Report) -> [String] {
        report.faults.map { $0.error("f").summary }
    }

    private func cards() throws -> [[String: String]] {
        try store.page(RecordQuery(kind: "card")).records.reversed().map(\.content.values)
    }

    @Test func `A table creates and changes records, and leaves columns that it does not have`() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/cards", withIntermediateDirectories: false)
        try SmallJPEG.write(folder.path + "/cards/1.jpg", 1)
        let known = try setting.card("1", owner: "Ann")
        let report = try load("a.csv", "number,notes,front\n1,\"two\nlines\",cards/1.jpg\n2,,\n")
        #expect(report.created == 1 && report.changed == 1 && report.faults.isEmpty && report.isStored)
        #expect(try cards() == [["number": "1", "owner": "Ann", "notes": "two\nlines"], ["number": "2"]])
        let picture = try store.record(known.id)?.content.sides["front"]
        #expect(try picture == RecordPicture(RecordBlobFolder.blob(SmallJPEG.bytes(1))))
        let again = try load("b.csv", "id,number,notes,front\n\(known.id),3,,\n")
        #expect(again.changed == 1)
        #expect(try store.record(known.id)?.content == RecordContent(values: ["number": "3", "owner": "Ann"]))
    }

    @Test func `Each line with a mistake is named, and nothing is imported unless asked`() throws {
        try setting.card("9")
        let text = """
            number,notes,front
            1,a,
            ,b,
            2,c,missing.jpg
            2,c
            1,d,
            3,e,../x.jpg
            4,f,
            """
        let report = try load("a.csv", text)
        #expect(
            messages(report) == [
                "f:3: number: is required", "f:4: front: \"missing.jpg\": there is no such file",
                "f:5: has 2 values instead of 3", "f:6: is the same record as one before",
                "f:7: front: \"../x.jpg\" is not a file beside this one",
            ], "\(messages(report))")
        #expect(!report.isStored)
        #expect(try cards() == [["number": "9"]])
        let partial = try load("b.csv", text, isPartial: true)
        #expect(partial.faults.count == 5 && partial.created == 2 && partial.isStored)
        #expect(try cards().count == 3)
    }

    @Test func `A dry run reports everything and changes nothing`() throws {
        let report = try load("a.csv", "number\n1\n2\n", isTrial: true)
        #expect(report.created == 2 && !report.isStored)
        #expect(try cards().isEmpty)
    }

    @Test(
        "A file that is no table of the kind is refused",
        arguments: [
            ("", "f:1: has no line of names"), ("number,nmber\n1,2", "f:1: \"nmber\" is not a column"),
            ("number,number\n1,2", "f:1: there are two columns \"number\""),
            ("id,number\nxyz,1", "f:2: \"xyz\" is not an ID"),
            ("number\n\"1", "f:2: has a quotation mark that is not closed"),
        ])
    func noTable(text: String, message: String) throws {
        let report = try load("a.csv", text)
        #expect(messages(report) == [message] && !report.isStored)
    }

    @Test func `A picture of a table is read only from its folder`() throws {
        try SmallJPEG.write(folder.path + "/x.jpg")
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: false)
        for name in ["../x.jpg", folder.path + "/x.jpg", "./x.jpg", "a/../x.jpg", "/dev/zero", "."] {
            let report = try load("in/a.csv", "number,front\n1,\(name)\n")
            #expect(report.faults.count == 1 && report.faults[0].fault.part == .side("front"), "\(name)")
        }
    }

    @Test func `A record in the trash, or of another kind, is not changed by a file`() throws {
        let card = try setting.card("1")
        _ = try store.trash(card.id, from: 1)
        #expect(try messages(load("a.csv", "id,number\n\(card.id),1\n")) == ["f:2: is in the trash"])
        let post = try store.create("post", RecordContent(sides: ["picture": try setting.picture()]))
        #expect(try messages(load("b.csv", "id,number\n\(post.id),1\n")) == ["f:2: is a record of the kind post"])
    }

    @Test("All records come back from an export", arguments: ["all.csv", "all.jsonl"])
    func roundTrip(name: String) throws {
        try setting.card("=1+1", owner: "Ann; \"A\"", notes: "two\nlines, and 'more")
        let origin = RecordPicture.Origin(
            try setting.picture(2).file, outline: "card",
            adjustment: CropAdjustment(moveX: 0.25, moveY: 0, zoom: 1.5, turn: 2))
        _ = try store.create(
            "card",
            RecordContent(
                values: ["number": "'@x"],
                sides: [
                    "front": RecordPicture(try setting.picture(1).file, origin: name == "all.csv" ? nil : origin),
                    "back": try setting.picture(3),
                ]))
        let path = folder.path + "/" + name
        var export = RecordExport(path, of: StoreSetting.card, from: store)
        let report = try export.run()
        #expect(report.count == 2 && report.pictureCount == (name == "all.csv" ? 2 : 3) && report.missing.isEmpty)
        let other = try StoreSetting()
        var reader = RecordImport(path, into: other.store, kind: StoreSetting.card)
        let result = try reader.run()
        #expect(result.created == 2 && result.faults.isEmpty, "\(result.faults)")
        let query = RecordQuery(kind: "card")
        #expect(try other.store.page(query).records == store.page(query).records)
        var again = RecordImport(path, into: store, kind: StoreSetting.card)
        #expect(try again.run().unchanged == 2)
        #expect(throws: CaptureError.self) { try export.run() }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(name != "all.csv" || text.contains("'=1+1"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `A picture that is not here is named, and the others are exported`() throws {
        let picture = try setting.picture(1)
        _ = try store.create("post", RecordContent(sides: ["picture": picture]))
        _ = try store.create("post", RecordContent(sides: ["picture": try setting.picture(2)]))
        try FileManager.default.removeItem(atPath: try #require(store.blobPath(picture.file.sha256)))
        var export = RecordExport(folder.path + "/p.csv", of: StoreSetting.post, from: store)
        let report = try export.run()
        #expect(report.count == 2 && report.pictureCount == 1 && report.missing.map(\.side) == ["picture"])
    }

    @Test func `Names of a backend never lead out of the folder of the pictures`() throws {
        let file = try setting.picture(1).file
        var record = try setting.card("1")
        record.content.sides["../../x"] = RecordPicture(file)
        record.revision = 2
        try store.commit { database throws(DatabaseError) in try store.put(RecordRow(record), in: database) }
        var export = RecordExport(folder.path + "/c.jsonl", of: StoreSetting.card, from: store)
        #expect(try export.run().pictureCount == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/c")
        #expect(names == ["\(record.id)-\(file.sha256.prefix(16)).jpg"])
    }

    @Test(
        "A line that is no record is refused",
        arguments: [
            "[]", "{", "x", "{\"id\": \"x\"}", "{\"kind\": \"post\", \"fields\": {\"number\": \"1\"}}",
            "{\"fields\": []}",
            "{\"fields\": {\"number\": {}}}", "{\"fields\": {\"number\": \"1\"}, \"sides\": {\"front\": \"x.jpg\"}}",
            "{\"fields\": {\"number\": \"1\"}, \"sides\": {\"front\": {\"file\": \"../x.jpg\"}}}",
            String(repeating: "{\"a\":", count: 1000), "{\"fields\": {\"number\": \"\u{0}\"}}",
        ])
    func noRecord(line: String) throws {
        let report = try load("a.jsonl", "{\"fields\": {\"number\": \"7\"}}\n\(line)\n")
        #expect(report.faults.map(\.line) == [2] && !report.isStored, "\(messages(report))")
        #expect(try cards().isEmpty)
    }

    @Test func `Random bytes as a file never trap`() throws {
        var generator = SplitMix(8)
        let table = Array("id,number,notes,front\n,1,\"a\nb\",x.jpg\n".utf8)
        let lines = Array("{\"fields\": {\"number\": \"7\"}, \"sides\": {\"front\": {\"file\": \"x.jpg\"}}}\n".utf8)
        for (name, original) in [("a.csv", table), ("a.jsonl", lines)] {
            for _ in 0..<200 {
                let path = folder.path + "/" + name
                try Data(original.mutated(&generator)).write(to: URL(filePath: path))
                var reader = RecordImport(path, into: store, kind: StoreSetting.card)
                _ = try reader.run(isTrial: true)
            }
        }
    }

    @Test func `A file without the ending of a format is refused`() throws {
        let error = #expect(throws: CaptureError.self) { try load("a.txt", "number\n1\n") }
        #expect(error?.code == .usage && error?.advice == "name it .csv or .jsonl")
    }
}
