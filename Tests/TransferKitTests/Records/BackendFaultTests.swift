// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import RecordKit
import SystemBase
import Testing

@testable import TransferKit

/// Answers of backends that are faults, or not what the protocol says.
@Suite("Faults of backends of records", .timeLimit(.minutes(2))) struct BackendFaultTests {
    private static let id = "00000000-0000-4000-8000-00000000000"

    /// A record as a backend has it. Its ID ends with its ETag.
    private static func record(_ etag: Int, _ members: String = #""fields": {"name": "Ann"}"#) -> String {
        #"{"id": "\#(id)\#(etag)", "last_modified": \#(etag), \#(members)}"#
    }

    private static func value(_ etag: Int, _ content: RecordContent? = .init(values: ["name": "Ann"])) -> RemoteRecord?
    {
        RecordID("\(id)\(etag)").map { .init(id: $0, etag: etag, content: content) }
    }

    /// The fault of the first page of a list.
    private static func listFault(_ answers: String...) async throws -> RecordRemoteFault? {
        let server = try await AnsweringServer(answers)
        let client = try server.client()
        return await fault { () throws(RecordRemoteFault) in
            _ = try await client.changes(of: "card", since: 5, page: nil)
        }
    }

    /// The fault of a change of the record 1 over the ETag 1.
    private static func putFault(_ answer: String) async throws -> RecordRemoteFault? {
        let (server, id) = (try await AnsweringServer([answer]), try #require(RecordID("\(id)1")))
        let client = try server.client()
        return await fault { () throws(RecordRemoteFault) in
            _ = try await client.put(id, RecordContent(), of: "card", over: 1)
        }
    }

    @Test(arguments: [
        (307, "unauthorized", "unauthorized"), (400, "damaged", "refused"), (401, "unauthorized", "unauthorized"),
        (403, "unauthorized", "refused"), (404, "missing", "missing"), (405, "unauthorized", "unauthorized"),
        (408, "temporary", "temporary"), (409, "temporary", "temporary"), (412, "changed", "changed"),
        (413, "damaged", "refused"), (422, "damaged", "refused"), (425, "temporary", "temporary"),
        (429, "temporary", "temporary"), (500, "temporary", "temporary"), (503, "temporary", "temporary"),
        (507, "temporary", "temporary"), (418, "damaged", "refused"),
    ])
    func `A status is a fault of the collection or of the record`(status: Int, list: String, put: String) async throws {
        let answer = AnsweringServer.answer(status, "{}", ["Location: http://127.0.0.1:1/"])
        #expect(try await Self.listFault(answer)?.kind == list)
        #expect(try await Self.putFault(answer)?.kind == put)
    }

    @Test func `A server that asks for a pause gets it`() async throws {
        let answer = AnsweringServer.answer(429, "", ["Retry-After: 7"])
        #expect(
            try await Self.listFault(answer)
                == .temporary("the server asks for fewer requests (429)", pause: .seconds(7)))
        let long = AnsweringServer.answer(503, "", ["Retry-After: 99999999"])
        guard case .temporary(_, let pause) = try await Self.listFault(long) else { return #expect(Bool(false)) }
        #expect(pause == .seconds(6 * 3600))
    }

    @Test func `A connection that is cut, or a server that is gone, is temporary`() async throws {
        for answer in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: \"9\"\r\n\r\n{\"data\": ["] {
            #expect(try await Self.listFault(answer)?.kind == "temporary")
            #expect(try await Self.putFault(answer)?.kind == "temporary")
        }
        let client = try BackendClient(RecordBackend(records: "http://127.0.0.1:1/v1/buckets/site1"))
        let gone = await fault { () throws(RecordRemoteFault) in _ = try await client.hasBlob("a") }
        #expect(gone == .temporary("the server does not answer", pause: nil))
    }

    // MARK: Lists

    @Test(arguments: [
        "", "x", "[]", "{}", "null", #"{"data": {}}"#, #"{"data": [}"#, #"{"data": [1,]}"#, #"{"data": [1 2]}"#,
        #"{"data": []}}"#, #"{"data": [] "a": 1}"#, #"{"data": ["a]}"#, #"{"data": [{"a": "\"}]}"#, "{\"data\": [",
    ])
    func `An answer that is no list is damaged`(body: String) async throws {
        let answer = AnsweringServer.answer(200, body, ["ETag: \"9\""])
        #expect(
            try await Self.listFault(answer) == .damaged("the answer of the backend is not a list of records"))
    }

    @Test(arguments: ["9", "\"\"", "\"x\"", "\"0\"", "\"-9\"", "\"9007199254740992\"", "\"99999999999999999999\"", "*"])
    func `A list without an ETag is damaged`(etag: String) async throws {
        let answer = AnsweringServer.answer(200, #"{"data": []}"#, ["ETag: \(etag)"])
        #expect(try await Self.listFault(answer) == .damaged("the list of the backend has no ETag"))
    }

    @Test func `A weak ETag of a proxy counts`() async throws {
        let answer = AnsweringServer.answer(200, #"{"data": []}"#, ["ETag: W/\"9\""])
        let server = try await AnsweringServer([answer])
        let client = try server.client()
        #expect(try await client.changes(of: "card", since: nil, page: nil).etag == 9)
    }

    @Test(arguments: [[7, 6], [6, 6], [5], [4, 6]])
    func `A list out of order is damaged`(etags: [Int]) async throws {
        let list = AnsweringServer.list(etags.map { Self.record($0) }.joined(separator: ","))
        #expect(
            try await Self.listFault(list) == .damaged("the list of the backend is not in the order of its changes"))
    }

    @Test func `An old ETag in an answer 304 is followed by a list`() async throws {
        let server = try await AnsweringServer([
            AnsweringServer.answer(304, "", ["ETag: \"3\""]),
            AnsweringServer.answer(200, #"{"data": []}"#, ["ETag: \"3\""]),
        ])
        let changes = try await server.client().changes(of: "card", since: 5, page: nil)
        #expect(changes == RecordChanges(etag: 3))
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        #"{"id": "x", "last_modified": 7}"#, #"{"last_modified": 7, "fields": {}}"#, "1", "[]", "null", "{}",
        #"{"id": "../../../../../../../../etc/passwd-x", "last_modified": 7}"#,
    ])
    func `A record without an ID is damaged, and leaves the others`(text: String) async throws {
        try await expectDamaged(text, id: nil)
    }

    @Test(arguments: [
        #""fields": []"#, #""fields": {"a": [1]}"#, #""fields": {"a": {"b": "c"}}"#, #""sides": {"front": 1}"#,
        #""sides": {"front": {"blob": {"sha256": "x", "bytes": 1, "width": 1, "height": 1}}}"#,
        #""fields": *a"#, #""fields": {"a" "b"}"#,
        #""fields": "# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
        #""sides": "# + String(repeating: #"{"a":"#, count: 20_000) + "1" + String(repeating: "}", count: 20_000),
        #""fields": {"# + (0..<2001).map { "\"\($0)\": \"x\"" }.joined(separator: ",") + "}",
    ])
    func `A record that cannot be read is damaged, and leaves the others`(members: String) async throws {
        try await expectDamaged(Self.record(7, members), id: RecordID("\(Self.id)7"))
    }

    @Test func `Bytes that are not UTF-8 damage one record`() throws {
        let text = Array(Self.record(7, #""fields": {"name": "?"}"#).utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
        #expect(throws: RecordChanges.Damaged.self) { try RemoteRecord(text[...]) }
    }

    /// Expects that a record between two good ones is reported alone.
    private func expectDamaged(_ text: String, id: RecordID?) async throws {
        let list = AnsweringServer.list([Self.record(6), text, Self.record(8)].joined(separator: ", "))
        let server = try await AnsweringServer([list])
        let changes = try await server.client().changes(of: "card", since: 5, page: nil)
        #expect(changes.records == [Self.value(6), Self.value(8)])
        #expect(changes.damaged.map(\.id) == [id])
        #expect(changes.damaged.allSatisfy { !$0.reason.isEmpty && $0.reason.utf8.count < 300 })
    }

    @Test func `Members of other programs are ignored, whatever they are`() async throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let list = AnsweringServer.list(
            Self.record(6, #""a": \#(deep), "fields": {"name": "Ann"}, "b": null"#) + ","
                + Self.record(7, #""deleted": true"#))
        let server = try await AnsweringServer([list])
        let changes = try await server.client().changes(of: "card", since: 5, page: nil)
        #expect(changes.records == [Self.value(6), Self.value(7, nil)])
        #expect(changes.damaged.isEmpty)
    }

    // MARK: Pages

    @Test func `The next page is requested from the address of the settings alone`() async throws {
        let next = "Next-Page: https://thief.example/else?_token=a%2Bb&_limit=9999&_sort=last_modified"
        let server = try await AnsweringServer([
            AnsweringServer.list(Self.record(6), [next]), AnsweringServer.list(Self.record(9)),
        ])
        let pages = try await server.client(entries: 1).allChanges(of: "a card", since: 5)
        #expect(pages.flatMap(\.records) == [Self.value(6), Self.value(9)])
        let path = "/v1/buckets/site1/collections/a%20card/records"
        #expect(
            server.requests.map { $0.prefix { !$0.isNewline } } == [
                "GET \(path)?_since=%225%22&_sort=last_modified&_limit=1 HTTP/1.1",
                "GET \(path)?_token=a%2Bb&_sort=last_modified&_limit=1 HTTP/1.1",
            ])
        #expect(server.requests.allSatisfy { $0.contains("\r\nAuthorization: Bearer token-of-board-1\r\n") })
        #expect(server.requests[0].contains("\r\nIf-None-Match: \"5\"\r\n"))
        #expect(!server.requests[1].contains("If-None-Match"))
    }

    @Test(arguments: [
        "x", "http://a/", "?", "?a b", "?a#b", "?é", "?" + String(repeating: "a", count: 8193),
    ])
    func `An address of a next page that is impossible is damaged`(address: String) async throws {
        let list = AnsweringServer.list(Self.record(6), ["Next-Page: \(address)"])
        #expect(try await Self.listFault(list) == .damaged("the address of the next page cannot be read"))
    }

    @Test func `A list without an end is damaged`() async throws {
        let list = AnsweringServer.list("", ["Next-Page: /?_token=1"])
        #expect(try await Self.listFault(list) == .damaged("the list of the backend has no end"))
        let server = try await AnsweringServer([AnsweringServer.list(Self.record(6), ["Next-Page: /?_token=1"])])
        let client = try server.client()
        let endless = await fault { () throws(RecordRemoteFault) in
            _ = try await client.allChanges(of: "card", since: 5)
        }
        #expect(endless == .damaged("the list of the backend is not in the order of its changes"))
        #expect(server.requests.count == 2)
    }

    @Test func `A page that is too long is requested with fewer records`() async throws {
        let long = AnsweringServer.list(Self.record(6, #""a": "\#(String(repeating: "a", count: 17 << 20))""#))
        let server = try await AnsweringServer([long, AnsweringServer.list(Self.record(9))])
        #expect(try await server.client().changes(of: "card", since: 5, page: nil).records == [Self.value(9)])
        #expect(server.requests[1].contains("_limit=62 "))
        #expect(try await Self.listFault(long) == .damaged("a record of the backend is too long"))
    }

    @Test func `A list that ends below its ETag has a gap`() async throws {
        let server = try await AnsweringServer([AnsweringServer.list(Self.record(6))])
        let client = try server.client()
        #expect(try await client.changes(of: "card", since: 5, page: nil).hasGap)
        #expect(try await !client.changes(of: "card", since: nil, page: nil).hasGap)
    }

    // MARK: Changes

    @Test(arguments: [
        "", "{}", #"{"data": {}}"#, #"{"data": []}"#, "x", record(1), #"{"data": \#(record(1))}"#,
        #"{"data": \#(record(2))}"#, #"{"data": {"id": "\#(id)1", "last_modified": "2"}}"#,
    ])
    func `An answer to a change that is about another version is damaged`(body: String) async throws {
        #expect(try await Self.putFault(AnsweringServer.answer(200, body))?.kind == "damaged")
    }

    @Test(arguments: [
        "", "{}", #"{"details": {}}"#, #"{"details": {"existing": {}}}"#, #"{"details": []}"#, "x",
        #"{"details": {"existing": \#(record(2))}}"#,
    ])
    func `A conflict that does not show the record is a change without it`(body: String) async throws {
        #expect(try await Self.putFault(AnsweringServer.answer(412, body)) == .changed(nil))
    }

    @Test func `A deletion that is no deletion is damaged`() async throws {
        let answer = AnsweringServer.answer(
            200, #"{"data": {"id": "\#(Self.id)1", "last_modified": 9, "fields": {}}}"#)
        let (server, id) = (try await AnsweringServer([answer]), try #require(RecordID("\(Self.id)1")))
        let client = try server.client()
        let found = await fault { () throws(RecordRemoteFault) in _ = try await client.delete(id, of: "card", over: 1) }
        #expect(found == .damaged("the backend has not deleted the record"))
    }

    // MARK: Pictures and settings

    @Test(arguments: [
        (200, "xyz", "damaged"), (200, "xyzw", "damaged"), (200, "x", "damaged"), (404, "not found", "missing"),
        (500, "a longer body than the file", "temporary"), (401, "a longer body than the file", "unauthorized"),
        (403, "", "refused"), (304, "", "damaged"),
    ])
    func `An answer that is not the picture leaves no file`(status: Int, body: String, kind: String) async throws {
        let server = try await AnsweringServer([AnsweringServer.answer(status, body)])
        let client = try server.client()
        let folder = try TestFolder()
        let sum = SHA256.digits(of: Array("abc".utf8))
        let blob = try #require(RecordBlob(sha256: sum, byteCount: 3, width: 1, height: 1))
        let found = await fault { () throws(RecordRemoteFault) in
            try await client.getBlob(blob, to: folder.path + "/a.jpg")
        }
        #expect(found?.kind == kind)
        let nowhere = await fault { () throws(RecordRemoteFault) in
            try await client.getBlob(blob, to: folder.path + "/none/a.jpg")
        }
        #expect(nowhere?.kind == "temporary")
        #expect(TestFolder.files(folder.path).isEmpty)
    }

    @Test(arguments: [
        "http://h/", "http://h/v1/site1", "ftp://h/v1/buckets/a", "http://h/v1/buckets/a?b", "http://u@h/v1/buckets/a",
    ])
    func `An address that is not that of a bucket is refused`(address: String) {
        #expect(throws: CaptureError.self) { try BackendClient(RecordBackend(records: address)) }
    }

    @Test func `Files can be at another server, with other credentials`() async throws {
        let (records, blobs) = (
            try await AnsweringServer([AnsweringServer.list("")]),
            try await AnsweringServer([AnsweringServer.answer(404)])
        )
        let folder = try TestFolder()
        var backend = RecordBackend(
            records: "http://127.0.0.1:\(records.port)/v1/buckets/site1",
            blobs: "http://127.0.0.1:\(blobs.port)/files",
            credentials: .token(.file(try folder.write("records", "token-of-records\n"))))
        backend.blobCredentials = .token(.file(try folder.write("blobs", "token-of-blobs\n")))
        let client = try BackendClient(backend)
        _ = try await client.changes(of: "card", since: nil, page: nil)
        #expect(try await !client.hasBlob("abc"))
        #expect(records.requests[0].contains("Bearer token-of-records"))
        #expect(blobs.requests[0].hasPrefix("HEAD /files/abc ") && blobs.requests[0].contains("Bearer token-of-blobs"))
    }

    @Test func `A token that others can read is not sent`() async throws {
        let (server, folder) = (try await AnsweringServer([AnsweringServer.list("")]), try TestFolder())
        let token = try folder.write("token", "token-of-board-1\n", mode: 0o644)
        let client = try BackendClient(
            RecordBackend(
                records: "http://127.0.0.1:\(server.port)/v1/buckets/site1", credentials: .token(.file(token))))
        let found = await fault { () throws(RecordRemoteFault) in
            _ = try await client.changes(of: "card", since: nil, page: nil)
        }
        #expect(found?.kind == "unauthorized")
        #expect(server.requests.isEmpty)
    }
}

extension RecordRemoteFault {
    /// The name of the case.
    var kind: String { String("\(self)".prefix { $0 != "(" }) }
}
#endif
