// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import MQTTKit
import Testing
import UploadKit

@testable import HomeAssistantKit

@Suite("The outbox in Home Assistant", .timeLimit(.minutes(1)))
struct OutboxTests {
    private static let discovery = Discovery(topic: "gst-capture/test", prefix: "homeassistant")

    /// A store with two targets, and two pictures that wait for the first one.
    private final class Place {
        let folder: TemporaryFolder
        let store: OutboxStore
        private let configuration: OutboxConfiguration

        init() throws {
            folder = try TemporaryFolder()
            let file = try folder.write(
                "outbox.yaml",
                """
                targets:
                  nas: {http: "http://127.0.0.1:9"}
                  web: {http: "http://127.0.0.1:9"}
                send:
                  - {from: \(folder.path)/pictures, to: [nas, web]}
                """)
            configuration = try OutboxConfiguration(path: file)
            store = try OutboxStore(folder: folder.path + "/outbox")
            let lane = OutboxStore.Lane(target: "nas", source: try store.source("/a.ledger", identity: "1"))
            let pictures = (1...2).map { line in
                UploadPicture(
                    line: line, path: "/secret/\(line).jpg", byteCount: 5, sha256: String(repeating: "0", count: 64),
                    taken: .test(Int64(line)))
            }
            _ = try store.take(1...2, pictures.map { ($0, "\($0.line).jpg") }, lane)
        }

        func reports() throws -> [TargetReport] { try TargetReport.all(configuration, store) }

        /// Returns the content of the retained messages, by their topics.
        func messages() throws -> [String: [String: Any]] {
            let messages = OutboxTests.discovery.messages(try reports())
            for message in messages { #expect(message.isRetained) }
            return try Dictionary(
                uniqueKeysWithValues: messages.map { message in
                    let object = try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any]
                    return (message.topic, object ?? [:])
                })
        }
    }

    @Test("The outbox is a device with a sensor, and a problem for each target")
    func entities() throws {
        let messages = try Place().messages()
        let sensor = try #require(messages["homeassistant/sensor/gst-capture_test/outbox_unsent/config"])
        #expect(sensor["name"] as? String == "Unsent pictures" && sensor["state_class"] as? String == "measurement")
        #expect(sensor["state_topic"] as? String == "gst-capture/test/outbox/state")
        for id in ["nas", "web"] {
            let problem = try #require(
                messages["homeassistant/binary_sensor/gst-capture_test/target_\(id)_problem/config"])
            #expect(problem["device_class"] as? String == "problem" && problem["name"] as? String == "\(id) problem")
            #expect(problem["state_topic"] as? String == "gst-capture/test/target/\(id)/state")
            #expect(problem["json_attributes_topic"] as? String == "gst-capture/test/target/\(id)/state")
            #expect(problem["availability_topic"] as? String == "gst-capture/test/availability")
        }
        let devices = messages.values.compactMap { ($0["device"] as? [String: Any])?["identifiers"] as? [String] }
        #expect(devices.count == 3 && Set(devices) == [["gst-capture_test"]])
        #expect(messages.count == 6)
    }

    @Test("Without discovery, only the states are sent")
    func plain() throws {
        let messages = Discovery(topic: "a", prefix: nil).messages(try Place().reports())
        #expect(messages.map(\.topic) == ["a/outbox/state", "a/target/nas/state", "a/target/web/state"])
    }

    @Test("The pictures that wait are counted for each target, without their paths")
    func unsent() throws {
        let place = try Place()
        let state = try #require(try place.messages()["gst-capture/test/outbox/state"])
        #expect(state["unsent"] as? Int == 2 && state["targets"] as? [String: Int] == ["nas": 2, "web": 0])
        #expect(state["oldest"] as? String == WallTime.test(1).iso8601)
        #expect(!(try place.reports().unsent.text.contains("/secret")))
    }

    @Test("A target that fails or has dead pictures has a problem with its reason in words; a person's pause is none")
    func problems() throws {
        let place = try Place()
        func problem() throws -> [String: Any] {
            try #require(try place.messages()["gst-capture/test/target/nas/state"])
        }
        #expect(try problem()["problem"] as? Bool == false)
        #expect(try problem()["reason"] == nil)

        var state = TargetState(id: "nas")
        (state.condition, state.reason, state.since) = ("unreachable", "the server does not answer", 1_790_000_000_000)
        try place.store.put(state)
        #expect(try problem()["problem"] as? Bool == true)
        #expect(try problem()["reason"] as? String == "the server does not answer")
        #expect(try problem()["state"] as? String == "unreachable")

        (state.condition, state.reason, state.isPaused) = ("paused", nil, true)
        try place.store.put(state)
        #expect(try problem()["problem"] as? Bool == false)

        var job = try #require(try place.store.jobs(isDead: false).first)
        (job.state, job.reason) = (.dead, "too large")
        try place.store.update(job)
        #expect(try problem()["problem"] as? Bool == true && (try problem()["dead"] as? Int) == 1)
        #expect(
            try problem()["reason"] as? String == "1 picture is not sent: gst-capture outbox show nas says why")
    }
}
#endif
