// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              quick: { interval: 100ms, output: "FOLDER/%05n.jpg" }

        """

    /// Returns the value of the sample whose line begins with this text; `nil` without it.
    private func value(_ sample: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }.flatMap {
            Double($0.dropFirst(sample.count + 1))
        }
    }

    @Test("Counters follow the pictures of series and requests, and gauges show the state")
    func values() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let events = try await MemoryEvents(service, "?kind=captured")
            for _ in 0..<3 { _ = try await events.next("captured") }
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap").status == 200)
            let response = try await service.get("/metrics")
            #expect(response.head.contains("Content-Type: text/plain; version=0.0.4"))
            let text = response.text
            let quick = "camera=\"garden\",series=\"quick\""
            #expect(
                try #require(value("gst_capture_captures_total{\(quick),outcome=\"captured\",reason=\"\"}", in: text))
                    >= 3)
            #expect(
                value(
                    "gst_capture_captures_total{camera=\"garden\",series=\"\",outcome=\"captured\",reason=\"\"}",
                    in: text)
                    == 1)
            let lags = try #require(value("gst_capture_capture_lag_seconds_count{\(quick)}", in: text))
            #expect(value("gst_capture_capture_lag_seconds_bucket{\(quick),le=\"+Inf\"}", in: text) == lags)
            #expect(value("gst_capture_camera_up{camera=\"garden\"}", in: text) == 1)
            #expect(try #require(value("gst_capture_camera_frames_total{camera=\"garden\"}", in: text)) >= 3)
            #expect(value("gst_capture_series_state{\(quick),state=\"running\"}", in: text) == 1)
            #expect(try #require(value("gst_capture_storage_free_bytes{\(quick)}", in: text)) > 0)
            #expect(value("gst_capture_event_listeners", in: text) == 1)
            #expect(try #require(value("gst_capture_http_connections", in: text)) >= 2)
            #expect(try #require(value("process_resident_memory_bytes", in: text)) > 1_000_000)
            #expect(!text.contains(service.folder.path))
        }
    }

    @Test("Clients cannot create labels: unknown paths and IDs count as their template")
    func cardinality() async throws {
        try await MemoryService.run("  garden: { camera: scene }\n") { service in
            for number in 0..<20 {
                #expect(try await service.get("/secret-\(number)").status == 404)
                #expect(try await service.get("/api/v1/cameras/secret-\(number)").status == 404)
                #expect(try await service.get("/api/v1/stills/secret-\(number)?x=%22%0a").status == 400)
            }
            let text = try await service.get("/metrics").text
            #expect(!text.contains("secret"))
            let other = "gst_capture_http_requests_total{method=\"GET\",route=\"other\",status=\"404\"}"
            let camera =
                "gst_capture_http_requests_total{method=\"GET\",route=\"/api/v1/cameras/{camera}\",status=\"404\"}"
            #expect(value(other, in: text) == 20 && value(camera, in: text) == 20)
        }
    }

    @Test("A service whose camera is missing is alive, but not ready, and says why")
    func notReady() async throws {
        let missing = "camera: /dev/video4242"
        try await MemoryService.run(Self.cameras.replacing("camera: scene", with: missing)) { service in
            let events = try await MemoryEvents(service, "?kind=series", "Last-Event-ID: 0")
            while let event = await events.next(), event.data["state"] as? String != "waiting" {
                if event.name == "snapshot", "\(event.data)".contains("waiting") { break }
            }
            #expect(try await service.get("/healthz").status == 200)
            let response = try await service.get("/readyz")
            #expect(
                response.status == 503 && "\(response.json["detail"] ?? "")".hasPrefix("quick: "), "\(response.text)")
            let text = try await service.get("/metrics").text
            #expect(value("gst_capture_camera_up{camera=\"garden\"}", in: text) == 0)
            #expect(value("gst_capture_ready", in: text) == 0)
        }
    }
}
#endif
