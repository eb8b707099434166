// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("The API of a service", .timeLimit(.minutes(1)))
struct APITests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              quick: { interval: 100ms, output: "FOLDER/%05n.jpg" }

        """

    @Test("A picture on request comes from the camera of a running series")
    func snap() async throws {
        try await MemoryService.run(Self.cameras) { service in
            _ = try await MemoryEvents(service).next("captured")
            let response = try await service.request("POST", "/api/v1/cameras/garden/snap")
            #expect(response.status == 200 && response.head.contains("Content-Type: image/jpeg"))
            #expect(response.head.contains("X-Capture-Time: 2"))
            #expect(
                response.body.prefix(3) == Data([0xFF, 0xD8, 0xFF]) && response.body.suffix(2) == Data([0xFF, 0xD9]))
        }
    }

    @Test("The state names cameras and series in words, and the last picture")
    func status() async throws {
        try await MemoryService.run(Self.cameras) { service in
            _ = try await MemoryEvents(service).next("captured")
            let status = try await service.get("/api/v1/status").json
            let camera = try #require((status["cameras"] as? [[String: Any]])?.first)
            #expect(camera["message"] as? String == "delivers frames" && camera["id"] as? String == "garden")
            let series = try #require((status["series"] as? [[String: Any]])?.first)
            #expect(
                series["state"] as? String == "running"
                    && (series["last_picture"] as? [String: Any])?["width"] as? Int == 320)
            #expect(try await service.get("/api/v1/cameras/garden").json["id"] as? String == "garden")
            #expect(try await service.get("/api/v1/series/quick").json["camera"] as? String == "garden")
            #expect(try await service.get("/healthz").text == "ok\n")
            #expect(try await service.get("/readyz").text == "ready\n")
        }
    }

    @Test("A series pauses and resumes on request, and events and the log report it")
    func pause() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let events = try await MemoryEvents(service, "?kind=series,captured")
            _ = try await events.next("captured")
            #expect(try await service.request("POST", "/api/v1/series/quick/pause").status == 202)
            while try await events.next("series").data["state"] as? String != "paused" {}
            #expect(try await service.get("/api/v1/series/quick").json["state"] as? String == "paused")
            #expect(try await service.request("POST", "/api/v1/series/quick/resume").status == 202)
            while try await events.next("series").data["state"] as? String != "running" {}
            _ = try await events.next("captured")
            #expect(try await service.request("POST", "/api/v1/series/quick/stop").status == 202)
            while try await events.next("series").data["state"] as? String != "stopped" {}
            #expect(service.log.contains("POST /api/v1/series/quick/pause"))
        }
    }

    @Test("Pages list all pictures once, newest first, and each can be read by its ID")
    func stills() async throws {
        try await MemoryService.run(Self.cameras.replacing("100ms,", with: "100ms, count: 7,")) { service in
            let events = try await MemoryEvents(service, "", "Last-Event-ID: 0")
            while let event = await events.next(), !"\(event.data)".contains("completed") {}
            let lines = try await service.get("/api/v1/ledger/quick").text.split(separator: "\n")
            let stored = try lines.map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
            }
            .compactMap { $0["still"] as? String }
            #expect(!stored.isEmpty && !lines[0].contains(service.folder.path))
            var (ids, next): ([String], String?) = ([], "")
            while let cursor = next {
                let page = try await service.get("/api/v1/stills?limit=3" + (cursor.isEmpty ? "" : "&before=\(cursor)"))
                    .json
                ids += try #require(page["stills"] as? [[String: Any]]).compactMap { $0["id"] as? String }
                next = page["next"] as? String
            }
            #expect(ids == stored.reversed())
            let picture = try await service.get("/api/v1/stills/\(stored[0])")
            let file = try Data(contentsOf: service.url.appendingPathComponent("00001.jpg"))
            #expect(picture.body == file && picture.head.contains("Content-Type: image/jpeg"))
            let plot = try await service.get("/api/v1/ledger/quick/plot")
            #expect(plot.status == 200 && plot.head.contains("image/svg+xml") && plot.text.contains(">quick</text>"))
            #expect(try await service.get("/api/v1/ledger/quick/plot?until=2001-01-01").status == 404)
            #expect(try await service.get("/api/v1/ledger/none/plot").status == 404)
            let csv = try await service.get("/api/v1/ledger/quick?format=csv&outcome=captured").text.split(
                separator: "\r\n")
            #expect(csv.count == stored.count + 1 && csv[0].hasPrefix("still,run,slot,"))
        }
    }

    @Test("A client continues after the last event that it knows, and a client of an earlier process gets the state")
    func replay() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let first = try await MemoryEvents(service, "?kind=captured")
            #expect(await first.next()?.name == "snapshot")
            let (second, third) = (try await first.next("captured"), try await first.next("captured"))
            let again = try await MemoryEvents(service, "?kind=captured", "Last-Event-ID: \(second.id)")
            #expect(await again.next()?.id == third.id)
            for unknown in [
                "x-1", "\(second.id)9999", "", "-", "1", "\(second.id)-1", String(repeating: "9", count: 4000),
            ] {
                let client = try await MemoryEvents(service, "", "Last-Event-ID: \(unknown)")
                #expect(await client.next()?.name == "snapshot", "\(unknown)")
            }
        }
    }

    @Test("Events of other cameras and series are left out")
    func filter() async throws {
        try await MemoryService.run(
            Self.cameras
                + "  desk:\n    camera: scene\n    width: 320\n    height: 240\n    series:\n      slow: { interval: 100ms, output: FOLDER/desk-%n.jpg }\n"
        ) { service in
            let client = try await MemoryEvents(service, "?camera=desk&kind=captured")
            _ = await client.next()
            for _ in 0..<3 { #expect(await client.next()?.data["series"] as? String == "slow") }
        }
    }
}
#endif
