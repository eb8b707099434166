// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import CropKit
import Foundation
import RecordKit
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Records over HTTP", .timeLimit(.minutes(1)))
struct RecordTests {
    private static let cameras =
        "  garden: {camera: scene, width: 640, height: 480, output: FOLDER/pictures/%05n.jpg}\n"
    private static let cards = "/api/v1/records/card"
    private static let card = """
        title: Card
        key: number
        fields:
          - {name: number, label: Number, required: yes, pattern: "[0-9]{4,13}", from: {side: back, read: code}}
          - {name: holder, required: yes, personal: yes}
        sides:
          - {name: front, required: yes}
          - {name: back}
        languages: {de: {title: Karte, fields: {number: Nummer}}}
        """
    private static let note = "title: Note\nfields: [{name: text, kind: lines, required: yes}]\n"

    /// Runs a service with two kinds of records.
    private static func run(
        in folder: TemporaryFolder? = nil, tokens: [String: Role]? = nil,
        _ body: (MemoryService, [String: String]) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        try folder.write("card.yaml", card)
        try folder.write("note.yaml", note)
        let head = "records: [FOLDER/card.yaml, FOLDER/note.yaml]\n"
        try await MemoryService.run(cameras, head: head, in: folder, tokens: tokens, body)
    }

    private static func text(_ json: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self)
    }

    /// Uploads a picture. Returns the value of a side.
    private static func side(_ service: MemoryService) async throws -> [String: Any] {
        let body = Data(try await SmallPicture.jpeg())
        let response = try await service.send("POST", "/api/v1/records/blobs", body, type: "image/jpeg")
        try #require(response.status == 201, "\(response.text)")
        return ["blob": response.json]
    }

    private static func content(
        _ service: MemoryService, _ number: String, holder: String = "Ann"
    ) async throws -> [String: Any] {
        ["fields": ["number": number, "holder": holder], "sides": ["front": try await side(service)]]
    }

    /// Creates a card. Returns its path and its record.
    private static func create(
        _ service: MemoryService, _ number: String = "4006381333931", holder: String = "Ann"
    ) async throws -> (path: String, record: [String: Any]) {
        let json = try text(try await content(service, number, holder: holder))
        let response = try await service.send("POST", cards, json: json)
        try #require(response.status == 201 && response.head.contains("ETag: \"1\""), "\(response.text)")
        let id = try #require(response.json["id"] as? String)
        #expect(response.head.contains("Location: /api/v1/records/card/\(id)"))
        return ("\(cards)/\(id)", response.json)
    }

    private static func fields(_ json: [String: Any]) -> [String: String] { json["fields"] as? [String: String] ?? [:] }

    @Test("A record is created, read, changed, moved into the trash and restored, and each change is an event")
    func life() async throws {
        try await Self.run { service, _ in
            let events = try await MemoryEvents(service, "?kind=record")
            let (path, record) = try await Self.create(service)
            #expect(record["revision"] as? Int == 1 && record["trashed"] as? Bool == false)
            var content = record
            content["fields"] = ["number": "4006381333931", "holder": "Bea"]
            let changed = try await service.send("PUT", path, json: try Self.text(content), "If-Match: \"1\"")
            #expect(changed.status == 200 && changed.head.contains("ETag: \"2\""), "\(changed.text)")
            #expect(Self.fields(changed.json)["holder"] == "Bea")
            // The same content is no change.
            let same = try await service.send("PUT", path, json: try Self.text(content), "If-Match: \"2\"")
            #expect(same.status == 200 && same.json["revision"] as? Int == 2)
            let trashed = try await service.request("DELETE", path, "If-Match: \"2\"")
            #expect(trashed.status == 200 && trashed.json["trashed"] as? Bool == true)
            #expect(try await service.get(path).json["trashed"] as? Bool == true)
            #expect(try await service.get(Self.cards).json["total"] as? Int == 0)
            #expect(try await service.get(Self.cards + "?trash=1").json["total"] as? Int == 1)
            #expect(try await service.request("POST", path + "/restore").json["revision"] as? Int == 4)
            let first = try await service.send("POST", path + "/restore", json: #"{"revision": 1}"#, "If-Match: \"4\"")
            #expect(first.status == 200 && Self.fields(first.json)["holder"] == "Ann")
            let versions = try await service.get(path + "/versions").json["versions"] as? [[String: Any]]
            #expect(versions?.compactMap { $0["revision"] as? Int } == [5, 4, 3, 2, 1])
            for (revision, state) in [(1, "present"), (2, "present"), (3, "trash"), (4, "present"), (5, "present")] {
                let event = try await events.next("record").data
                #expect(event["revision"] as? Int == revision && event["state"] as? String == state)
                #expect(event["kind"] as? String == "card" && event["id"] as? String == record["id"] as? String)
                #expect(Set(event.keys) == ["event", "at", "kind", "id", "revision", "state"])
            }
        }
    }

    @Test("A content that is not valid is refused with all faults, and the check finds the same")
    func faults() async throws {
        try await Self.run { service, _ in
            let (path, _) = try await Self.create(service)
            for (json, parts) in [
                ("{}", ["field:number", "field:holder", "side:front"]),
                (
                    #"{"fields": {"number": "x", "holder": "A", "size": "1"}}"#,
                    ["field:number", "side:front", "field:size"]
                ),
                (#"{"fields": {"number": "4006381333931"}}"#, ["field:number", "field:holder", "side:front"]),
            ] {
                for (method, path, field) in [
                    ("POST", Self.cards, ""), ("POST", Self.cards + "/check", ""), ("PUT", path, "If-Match: \"1\""),
                ] where method == "POST" || !json.contains("4006381333931") {
                    let response = try await service.send(method, path, json: json, field.isEmpty ? "X-A: b" : field)
                    #expect(response.status == (path.hasSuffix("check") ? 200 : 422), "\(response.text)")
                    let faults = response.json["faults"] as? [[String: Any]]
                    #expect(faults?.compactMap { $0["part"] as? String } == parts, "\(response.text)")
                }
            }
            // Its own key is not that of another record.
            let id = path.split(separator: "/").last ?? ""
            let json = try Self.text(try await Self.content(service, "4006381333931"))
            let draft = try await service.send("POST", Self.cards + "/check?id=\(id)", json: json)
            #expect((draft.json["faults"] as? [Any])?.isEmpty == true)
            #expect(try await service.get(Self.cards).json["total"] as? Int == 1)
        }
    }

    @Test("The second of two clients that change a record gets the present record")
    func conflict() async throws {
        try await Self.run { service, _ in
            let (path, record) = try await Self.create(service)
            var content = record
            content["fields"] = ["number": "1111", "holder": "Ann"]
            let json = try Self.text(content)
            #expect(try await service.send("PUT", path, json: json).status == 428)
            #expect(try await service.send("PUT", path, json: json, "If-Match: *").status == 428)
            #expect(try await service.request("DELETE", path).status == 428)
            async let one = service.send("PUT", path, json: json, "If-Match: \"1\"")
            async let two = service.send(
                "PUT", path, json: json.replacing("1111", with: "2222"), "If-Match: \"1\"")
            let answers = try await [one, two].sorted { $0.status < $1.status }
            #expect(answers.map(\.status) == [200, 412])
            #expect(answers[1].head.contains("ETag: \"2\""))
            let present = try #require(answers[1].json["record"] as? [String: Any])
            #expect(Self.fields(present) == Self.fields(answers[0].json))
            for tag in ["\"1\"", "W/\"2\"", "\"\"", "2", "\"99999999999999999999\""] {
                #expect(try await service.request("DELETE", path, "If-Match: \(tag)").status == 412, "\(tag)")
            }
            #expect(try await service.request("POST", path + "/restore", "If-Match: \"1\"").status == 412)
        }
    }

    @Test("Requests for records and kinds that are not there, and that are malformed, are refused")
    func refusals() async throws {
        try await Self.run { service, _ in
            let (path, record) = try await Self.create(service)
            let id = try #require(record["id"] as? String)
            let other = "00000000-0000-4000-8000-000000000000"
            for path in [
                "/api/v1/records/cart", "\(Self.cards)/\(other)", "\(Self.cards)/x", "/api/v1/records/note/\(id)",
                "\(Self.cards)/\(other)/versions", "/api/v1/records/note/\(id)/versions",
                "/api/v1/records/blobs/\(String(repeating: "0", count: 64))", "/api/v1/records/blobs/..",
            ] {
                #expect(try await service.get(path).status == 404, "\(path)")
            }
            #expect(try await service.request("DELETE", "/api/v1/records/note/\(id)", "If-Match: \"1\"").status == 404)
            #expect(try await service.request("POST", path + "/restore?revision=1").status == 400)
            #expect(try await service.send("POST", path + "/restore", json: #"{"revision": 7}"#).status == 404)
            for query in ["limit=0", "limit=501", "before=x", "trash=2", "sort=name"] {
                #expect(try await service.get("\(Self.cards)?\(query)").status == 400, "\(query)")
            }
            for body in ["", "[]", "{", #"{"fields": {"number": null}}"#, #"{"sides": {"front": {"blob": {}}}}"#] {
                #expect(try await service.send("POST", Self.cards, json: body).status == 400, "\(body)")
            }
            let long = #"{"fields": {"text": ""# + String(repeating: "x", count: 600 << 10) + #""}}"#
            #expect(try await service.send("POST", "/api/v1/records/note", json: long).status == 413)
        }
    }

    @Test("Only roles that may capture see records, and neither the log nor events have their values")
    func privacy() async throws {
        let tokens: [String: Role] = ["wall": .view, "kiosk": .kiosk, "phone": .capture]
        try await Self.run(tokens: tokens) { service, fields in
            let (wall, phone) = (try #require(fields["wall"]), try #require(fields["phone"]))
            let kiosk = try #require(fields["kiosk"])
            let body = Data(try await SmallPicture.jpeg())
            #expect(
                try await service.send("POST", "/api/v1/records/blobs", body, type: "image/jpeg", wall).status == 403)
            let blob = try await service.send("POST", "/api/v1/records/blobs", body, type: "image/jpeg", phone).json
            let content: [String: Any] = [
                "fields": ["number": "4711", "holder": "Zaphod"], "sides": ["front": ["blob": blob]],
            ]
            let json = try Self.text(content)
            #expect(try await service.send("POST", Self.cards, json: json, wall).status == 403)
            let events = try await MemoryEvents(service, "", from: "127.0.0.1", wall)
            let created = try await service.send("POST", Self.cards, json: json, phone)
            #expect(created.status == 201 && created.json["actor"] as? String == "phone", "\(created.text)")
            let event = try await events.next("record").data
            #expect(event["revision"] as? Int == 1 && !"\(event)".contains("Zaphod"))
            let path = "\(Self.cards)/\(try #require(created.json["id"] as? String))"
            let picture = "/api/v1/records/blobs/\(try #require(blob["sha256"] as? String))"
            for path in ["/api/v1/records", Self.cards, Self.cards + "?q=zaphod", path, path + "/versions", picture] {
                #expect(try await service.get(path, wall).status == 403, "\(path)")
                #expect(try await service.get(path, kiosk).status == 403, "\(path)")
                #expect(try await service.get(path, phone).status == 200, "\(path)")
                #expect(try await service.get(path).status == 401, "\(path)")
            }
            #expect(try await service.get("/api/v1/me", wall).json["offers"] as? [String] == [])
            #expect(try await service.get("/api/v1/me", kiosk).json["offers"] as? [String] == [])
            #expect(try await service.get("/api/v1/me", phone).json["offers"] as? [String] == ["records"])
            #expect(service.log.contains("POST /api/v1/records/card") && !service.log.contains("Zaphod"))
        }
    }

    @Test("Kinds are in the language of the request, and a search finds words of all values")
    func kinds() async throws {
        try await Self.run { service, _ in
            _ = try await Self.create(service, holder: "Ann Lee")
            _ = try await Self.create(service, "4711", holder: "Bob")
            for (language, title) in [
                ("de-AT,en;q=0.5", "Karte"), ("fr, de;q=0.8", "Karte"), ("en,de", "Card"), ("de;q=0", "Card"),
                ("", "Card"),
            ] {
                let kinds = try await service.get("/api/v1/records", "Accept-Language: \(language)").json["kinds"]
                let card = try #require((kinds as? [[String: Any]])?.first)
                #expect(card["title"] as? String == title && card["count"] as? Int == 2, "\(language)")
                let field = (card["fields"] as? [[String: Any]])?.first
                #expect(field?["label"] as? String == (title == "Karte" ? "Nummer" : "Number"))
                #expect(field?["unique"] as? Bool == true && field?["personal"] as? Bool == false)
            }
            for (query, count) in [("q=lee", 1), ("q=47", 1), ("q=ann%20lee", 1), ("q=eve", 0), ("limit=1", 1)] {
                let page = try await service.get("\(Self.cards)?\(query)").json
                #expect((page["records"] as? [Any])?.count == count, "\(query)")
            }
            let first = try await service.get(Self.cards + "?limit=1").json
            let next = try #require(first["next"] as? String)
            let second = try await service.get(Self.cards + "?limit=1&before=\(next)").json
            #expect(Self.fields((second["records"] as? [[String: Any]])?.first ?? [:])["holder"] == "Ann Lee")
            #expect(second["next"] is NSNull)
        }
    }

    @Test("A change by another program is an event, and one of this service is reported once")
    func others() async throws {
        let folder = try TemporaryFolder()
        try await Self.run(in: folder) { service, _ in
            let events = try await MemoryEvents(service, "?kind=record")
            let own = try await Self.create(service).record["id"] as? String
            #expect(try await events.next("record").data["id"] as? String == own)
            let kind = try RecordKindFile(path: "note.yaml", bytes: Array(Self.note.utf8)).kind
            let other = try RecordStore(folder: folder.path + "/state/records", kinds: [kind], .create)
            let id = try other.create("note", RecordContent(values: ["text": "from elsewhere"]), actor: nil).id
            let event = try await events.next("record").data
            #expect(event["id"] as? String == "\(id)" && event["kind"] as? String == "note")
        }
    }

    @Test("Tables with the hashes of pictures go out and come in, and mistakes have their lines")
    func tables() async throws {
        try await Self.run { service, _ in
            let (_, record) = try await Self.create(service, holder: "=Ann")
            let table = try await service.get(Self.cards + "/export")
            let hash = try #require(
                (((record["sides"] as? [String: Any])?["front"] as? [String: Any])?["blob"] as? [String: Any])?[
                    "sha256"] as? String)
            #expect(table.head.contains("text/csv") && table.head.contains("attachment; filename=\"card.csv\""))
            #expect(
                table.text == "id,number,holder,front,back\r\n\(record["id"] ?? ""),4006381333931,'=Ann,\(hash),\r\n")
            for format in ["csv", "jsonl"] {
                let whole = try await service.get(Self.cards + "/export?format=\(format)")
                let type = format == "csv" ? "text/csv" : "application/jsonl"
                let again = try await service.send("POST", Self.cards + "/import", Data(whole.body), type: type)
                #expect(again.json["unchanged"] as? Int == 1 && again.json["stored"] as? Bool == true, "\(again.text)")
            }
            let mixed = Data("number,holder,front\n1234,Bea,\(hash)\n12,Cid,\(hash)\n4321,Dan,nowhere\n".utf8)
            func send(_ query: String) async throws -> [String: Any] {
                try await service.send("POST", Self.cards + "/import" + query, mixed, type: "text/csv").json
            }
            let refused = try await send("")
            let faults = refused["faults"] as? [[String: Any]]
            #expect(refused["stored"] as? Bool == false && faults?.compactMap { $0["line"] as? Int } == [3, 4])
            #expect(faults?.compactMap { $0["part"] as? String } == ["field:number", "side:front"])
            #expect(try await service.get(Self.cards).json["total"] as? Int == 1)
            #expect(try await send("?partial=yes&dry-run=yes")["created"] as? Int == 1)
            #expect(try await send("?partial=yes")["stored"] as? Bool == true)
            #expect(try await service.get(Self.cards).json["total"] as? Int == 2)
            let wrong = try await service.send("POST", Self.cards + "/import", Data([0xFF, 0xFE, 0]), type: "text/csv")
            #expect(wrong.status == 200 && wrong.json["stored"] as? Bool == false)
            #expect(try await service.send("POST", Self.cards + "/import", mixed, type: "text/html").status == 415)
            #expect(try await service.get(Self.cards + "/export?format=xls").status == 400)
        }
    }

    @Test("The document describes all paths of records, with names that differ, only if the service has them")
    func document() async throws {
        try await Self.run { service, _ in
            let document = try await service.get("/api/v1/openapi.json")
            let paths = try #require(document.json["paths"] as? [String: [String: [String: Any]]])
            let names = paths.values.flatMap(\.values).compactMap { $0["operationId"] as? String }
            #expect(Set(names).count == names.count && names.count > 50)
            #expect(paths["/api/v1/records/{kind}/{record}"]?["put"] != nil)
            let id = try #require(try await Self.create(service).record["id"] as? String)
            for (path, operations) in paths where path.hasPrefix("/api/v1/records") {
                let concrete = path.replacing("{kind}", with: "card").replacing("{record}", with: id)
                    .replacing("{side}", with: "front").replacing("{sha256}", with: String(repeating: "0", count: 64))
                for (method, operation) in operations {
                    let response = try await service.request(method.uppercased(), concrete)
                    let described = operation["responses"] as? [String: Any]
                    #expect(described?["\(response.status)"] != nil, "\(method) \(path) \(response.status)")
                }
            }
            let known = (document.json["components"] as? [String: [String: Any]])?["schemas"] ?? [:]
            for part in document.text.split(separator: "#/components/schemas/").dropFirst() {
                #expect(known[String(part.prefix { $0 != "\"" })] != nil, "\(part.prefix(40))")
            }
        }
        try await MemoryService.run(Self.cameras) { service async throws in
            #expect(try await service.get("/api/v1/records").status == 404)
            #expect(try await !service.get("/api/v1/openapi.json").text.contains("/api/v1/records"))
        }
    }
}
#endif
