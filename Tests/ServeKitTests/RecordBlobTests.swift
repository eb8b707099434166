// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import CropKit
import DatabaseKit
import Foundation
import ServiceKit
import Testing

@testable import RecordKit
@testable import ServeKit

@Suite("Pictures of records over HTTP", .timeLimit(.minutes(1)))
struct RecordBlobTests {
    private static let cameras =
        "  garden: {camera: scene, width: 640, height: 480, output: FOLDER/pictures/%05n.jpg}\n"
    private static let blobs = "/api/v1/records/blobs"
    private static let card = """
        title: Card
        fields:
          - {name: number, pattern: "[0-9]{4,13}", from: {side: back, read: code}}
          - {name: holder}
        sides: [{name: front}, {name: back}]
        """

    private static func run(_ body: (MemoryService) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try folder.write("card.yaml", card)
        try await MemoryService.run(cameras, head: "records: FOLDER/card.yaml\n", in: folder, body)
    }

    private static func upload(_ service: MemoryService, _ bytes: [UInt8]) async throws -> MemoryService.Response {
        let type = bytes.first == 0xFF ? "image/jpeg" : "image/png"
        return try await service.send("POST", blobs, Data(bytes), type: type)
    }

    /// Captures a picture with the camera. Returns its ID.
    private static func still(_ service: MemoryService) async throws -> String {
        let stills = try await service.request("POST", "/api/v1/cameras/garden/snap").json["stills"]
        return try #require((stills as? [[String: Any]])?.first?["id"] as? String)
    }

    @Test("A picture is stored once, served unchanged for ever, and has thumbnails")
    func upload() async throws {
        try await Self.run { service in
            let bytes = try await SmallPicture.jpeg()
            let first = try await Self.upload(service, bytes)
            #expect(first.status == 201 && first.json["width"] as? Int == 16 && first.json["height"] as? Int == 8)
            #expect(try await Self.upload(service, bytes).json["sha256"] as? String == first.json["sha256"] as? String)
            let path = "\(Self.blobs)/\(try #require(first.json["sha256"] as? String))"
            #expect(first.head.contains("Location: \(path)"))
            let file = try await service.get(path)
            #expect(file.status == 200 && [UInt8](file.body) == bytes && file.head.contains("immutable"))
            #expect(try await service.get(path, "Range: bytes=0-1").status == 206)
            let tag = try #require(first.json["sha256"] as? String)
            #expect(try await service.get(path, "If-None-Match: \"\(tag)\"").status == 304)
            let small = try await service.get(path + "?size=320")
            #expect(small.status == 200 && small.head.contains("image/jpeg") && small.head.contains("immutable"))
            for size in ["0", "321", "x"] { #expect(try await service.get(path + "?size=\(size)").status == 400) }
        }
    }

    @Test("A picture that only the backend has is requested, and an event reports its arrival")
    func arrival() async throws {
        let folder = try TemporaryFolder()
        try folder.write("card.yaml", Self.card)
        let head = "records: {kinds: FOLDER/card.yaml, folder: FOLDER/records}\n"
        try await MemoryService.run(Self.cameras, head: head, in: folder) { service in
            let blob = try await Self.upload(service, try await SmallPicture.jpeg())
            let sha256 = try #require(blob.json["sha256"] as? String)
            let created = try await service.send(
                "POST", "/api/v1/records/card", json: #"{"sides": {"front": {"blob": \#(blob.text)}}}"#)
            #expect(created.status == 201, "\(created.text)")
            let store = try RecordStore(folder: folder.path + "/records", kinds: [], .create)
            let path = try #require(store.blobPath(sha256))
            let kept = folder.path + "/kept.jpg"
            try FileManager.default.moveItem(atPath: path, toPath: kept)
            // Without a backend, no program can fetch it.
            let address = "\(Self.blobs)/\(sha256)"
            #expect(try await service.get(address).status == 404)
            try store.commit { database throws(DatabaseError) in
                try database.run("INSERT INTO collection(kind, etag) VALUES ('card', 1)")
            }
            let events = try await MemoryEvents(service)
            for query in ["", "?size=320"] {
                let response = try await service.get(address + query)
                #expect(response.status == 503 && response.head.contains("Retry-After"), "\(response.text)")
            }
            let read = try await service.send(
                "POST", Self.blobs + "/read?kind=card&side=front", json: #"{"sha256": "\#(sha256)"}"#)
            #expect(read.status == 503)
            #expect(try store.requestedBlob()?.sha256 == sha256)
            let unknown = String(repeating: "0", count: 64)
            #expect(try await service.get("\(Self.blobs)/\(unknown)").status == 404)
            // The sender ends a request when the picture is complete.
            try FileManager.default.moveItem(atPath: kept, toPath: path)
            try store.endRequest(sha256)
            #expect(try await events.next("record-picture").data["sha256"] as? String == sha256)
            #expect(try await service.get(address + "?size=320").status == 200)
            try FileManager.default.removeItem(atPath: path)
            try store.markMissing(sha256, at: WallTime.now().millisecondsSince1970)
            #expect(try await service.get(address).status == 404)
        }
    }

    @Test("A PNG becomes a JPEG, and a file that is no sound picture is refused")
    func conversion() async throws {
        try await Self.run { service in
            let pixels = StillPixels(
                width: 32, height: 16, pixels: Array(repeating: SIMD4<UInt8>(200, 30, 30, 255), count: 512))
            let png = try await StillCoding.encode(pixels, .png, quality: 90)
            let stored = try await Self.upload(service, png)
            #expect(stored.status == 201 && stored.json["width"] as? Int == 32, "\(stored.text)")
            let file = try await service.get("\(Self.blobs)/\(stored.json["sha256"] as? String ?? "")")
            #expect(file.body.prefix(2) == Data([0xFF, 0xD8]))
            let cut = Array(try await SmallPicture.jpeg().dropLast(30))
            for wrong in [[0xFF], [0xFF, 0xD8], Array(png.dropLast(20)), cut] {
                #expect(try await Self.upload(service, wrong).status == 422)
            }
            #expect(try await service.send("POST", Self.blobs, Data("GIF89a".utf8), type: "image/gif").status == 415)
        }
    }

    @Test("Pictures of series and of the library become pictures of records")
    func copy() async throws {
        try await Self.run { service in
            let still = try await Self.still(service)
            let copied = try await service.send("POST", Self.blobs + "/from", json: #"{"still": "\#(still)"}"#)
            #expect(copied.status == 201 && copied.json["width"] as? Int == 640, "\(copied.text)")
            let file = try await service.get("/api/v1/stills/\(still)")
            #expect(try await service.get("\(Self.blobs)/\(copied.json["sha256"] as? String ?? "")").body == file.body)
            for body in [#"{"still": "x"}"#, #"{"still": "garden-99"}"#, #"{"item": "x"}"#] {
                #expect(try await service.send("POST", Self.blobs + "/from", json: body).status == 404, "\(body)")
            }
            for body in ["{}", #"{"still": "garden-1", "item": "x"}"#] {
                #expect(try await service.send("POST", Self.blobs + "/from", json: body).status == 400, "\(body)")
            }
        }
    }

    @Test("A crop has its place in the whole picture, and is the value of a side")
    func crop() async throws {
        try await Self.run { service in
            let still = try await Self.still(service)
            let whole = try await service.send("POST", Self.blobs + "/from", json: #"{"still": "\#(still)"}"#).json
            let sha256 = try #require(whole["sha256"] as? String)
            func crop(_ members: String) async throws -> MemoryService.Response {
                try await service.send("POST", Self.blobs + "/crop", json: #"{"sha256": "\#(sha256)", \#(members)}"#)
            }
            let plain = try await crop(#""outline": "card""#)
            #expect(plain.status == 201 && plain.json["rectified"] as? Bool == false, "\(plain.text)")
            let moved = try await crop(#""outline": "card", "adjustment": {"move_x": 0.1, "zoom": 1.5, "turn": 2}"#)
            let origin = try #require(moved.json["origin"] as? [String: Any])
            #expect(origin["outline"] as? String == "card" && origin["zoom"] as? Double == 1.5)
            #expect((origin["blob"] as? [String: Any])?["sha256"] as? String == sha256)
            let (one, two) = (plain.json["blob"] as? [String: Any], moved.json["blob"] as? [String: Any])
            #expect(one?["sha256"] as? String != two?["sha256"] as? String)
            #expect((one?["width"] as? Int ?? 0) < 640)
            var side = moved.json
            side["rectified"] = nil
            let content = try JSONSerialization.data(withJSONObject: ["sides": ["front": side]])
            let record = try await service.send(
                "POST", "/api/v1/records/card", json: String(decoding: content, as: UTF8.self))
            #expect(record.status == 201, "\(record.text)")
            // The scene has no card: the crop follows the outline.
            #expect(try await crop(#""outline": "card", "rectify": true, "session": true"#).status == 201)
            #expect(try await crop(#""outline": "none-such""#).status == 404)
            #expect(try await crop(#""outline": "../card""#).status == 404)
            #expect(try await crop(#""outline": "card", "adjustment": {"zoom": 0}"#).status == 400)
            #expect(try await crop(#""outline": "card", "adjustment": {"move_x": 50}"#).status == 422)
        }
    }

    @Test("The code in a picture of a side is offered for the field that is read from it")
    func code() async throws {
        try await Self.run { service in
            let jpeg = try await StillCoding.encode(Self.barcode("4006381333931", scale: 4), .jpeg, quality: 90)
            let stored = try await Self.upload(service, jpeg).json
            let body = #"{"sha256": "\#(stored["sha256"] as? String ?? "")"}"#
            let path = Self.blobs + "/read?kind=card&side="
            let back = try await service.send("POST", path + "back", json: body)
            #expect(back.status == 200 && back.json["codes"] as? [String] == ["4006381333931"], "\(back.text)")
            #expect(back.json["read"] as? [String: String] == ["number": "4006381333931"])
            let front = try await service.send("POST", path + "front", json: body)
            #expect(front.json["read"] as? [String: String] == [:])
            #expect(try await service.send("POST", path + "side", json: body).status == 404)
            #expect(try await service.send("POST", Self.blobs + "/read?kind=card", json: body).status == 400)
            let plain = try await Self.upload(service, try await SmallPicture.jpeg()).json
            let none = try await service.send(
                "POST", path + "back", json: #"{"sha256": "\#(plain["sha256"] as? String ?? "")"}"#)
            #expect(none.status == 200 && none.json["codes"] as? [String] == [])
        }
    }

    /// Draws an EAN-13 barcode with a margin.
    private static func barcode(_ digits: String, scale: Int) -> StillPixels {
        let odd = [
            "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111",
            "0001011",
        ]
        let right = odd.map { String($0.map { $0 == "0" ? "1" : "0" }) }
        let even = right.map { String($0.reversed()) }
        // The first digit is in the kinds of the next six; this is that of 4.
        let kinds = [odd, even, odd, odd, even, even]
        let numbers = digits.compactMap(\.wholeNumberValue)
        let left = zip(kinds, numbers[1...6]).map { $0[$1] }.joined()
        let bars = "101" + left + "01010" + numbers[7...].map { right[$0] }.joined() + "101"
        let row = (String(repeating: "0", count: 12) + bars + String(repeating: "0", count: 12)).flatMap { bar in
            Array(repeating: bar == "1" ? SIMD4<UInt8>(0, 0, 0, 255) : SIMD4(255, 255, 255, 255), count: scale)
        }
        let height = 160
        return StillPixels(
            width: row.count, height: height, pixels: Array(repeating: row, count: height).flatMap { $0 })
    }
}
#endif
