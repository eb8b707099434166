// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import MQTTKit
import ServiceKit
import UploadKit

/// The topics of a service, and the messages with which Home Assistant finds its entities (MQTT discovery). Pure.
///
/// Each camera is a device of Home Assistant, with its last picture, a button that captures, its state and a problem.
/// Each series adds a switch and sensors to the device of its camera. The outbox is a device with its targets.
struct Discovery: Sendable {
    /// The first levels of all topics.
    let topic: String
    /// The first level of the topics of discovery; `nil` for none.
    let prefix: String?

    /// `online` while the service is connected, `offline` by the last will.
    var availability: String { topic + "/availability" }
    /// The topic of product events.
    var analytics: String { topic + "/analytics" }
    /// The topics of commands, as filters.
    var commands: [String] {
        ["/camera/+/snap", "/camera/+/record", "/camera/+/trigger", "/series/+/set"].map { topic + $0 }
    }
    /// The topic on which Home Assistant reports its start; `nil` without discovery.
    var birth: String? { prefix.map { $0 + "/status" } }

    func state(ofCamera id: String) -> String { "\(topic)/camera/\(id)/state" }
    func image(ofCamera id: String) -> String { "\(topic)/camera/\(id)/image" }
    func state(ofSeries id: String) -> String { "\(topic)/series/\(id)/state" }
    func state(ofTarget id: String) -> String { "\(topic)/target/\(id)/state" }
    /// The topic of the pictures that wait in the outbox.
    var outbox: String { topic + "/outbox/state" }

    /// Returns the messages that describe all entities, each retained.
    func messages(_ status: ServiceStatus) -> [MQTTMessage] {
        messages(status.cameras.flatMap(entities) + status.series.flatMap(entities))
    }

    /// Returns the messages that describe the outbox and its targets, and those with their states, each retained.
    func messages(_ targets: [TargetReport]) -> [MQTTMessage] {
        let states = targets.map { MQTTMessage(state(ofTarget: $0.state.id), $0.problem.text, isRetained: true) }
        return messages([unsent] + targets.map(entity))
            + [MQTTMessage(outbox, targets.unsent.text, isRetained: true)] + states
    }

    private func messages(_ entities: [Entity]) -> [MQTTMessage] {
        guard let prefix else { return [] }
        return entities.map { entity in
            MQTTMessage(
                "\(prefix)/\(entity.component)/\(node)/\(entity.object)/config", entity.config.text, isRetained: true)
        }
    }

    /// The topic as one word.
    private var node: String {
        String(decoding: topic.utf8.map { $0.isWordCharacter ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }
}

// MARK: - Entities

extension Discovery {
    /// An entity of Home Assistant.
    private struct Entity {
        let component: String
        let object: String
        let config: JSONValue
    }

    private func entities(_ camera: CameraStatus) -> [Entity] {
        let state = state(ofCamera: camera.id)
        func entity(
            _ component: String, _ name: String, _ title: String, _ members: KeyValuePairs<String, String>
        ) -> Entity {
            self.entity(component, "camera_\(camera.id)_\(name)", title, ofCamera: camera.id, members)
        }
        return [
            entity(
                "image", "picture", "Last picture",
                ["image_topic": image(ofCamera: camera.id), "content_type": "image/jpeg"]),
            entity("camera", "camera", "Camera", ["topic": image(ofCamera: camera.id)]),
            entity(
                "button", "snap", "Capture",
                [
                    "command_topic": "\(topic)/camera/\(camera.id)/snap", "payload_press": "PRESS",
                    "icon": "mdi:camera",
                ]),
            entity(
                "binary_sensor", "problem", "Problem",
                [
                    "state_topic": state, "device_class": "problem", "json_attributes_topic": state,
                    "value_template": "{{ 'ON' if value_json.state == 'lost' else 'OFF' }}",
                    "entity_category": "diagnostic",
                ]),
            entity(
                "sensor", "state", "State",
                ["state_topic": state, "value_template": "{{ value_json.state }}", "icon": "mdi:camera-iris"]),
            entity(
                "sensor", "captured", "Last capture",
                [
                    "state_topic": state, "device_class": "timestamp",
                    "value_template": "{{ value_json.last_picture.captured if value_json.last_picture else None }}",
                ]),
        ]
    }

    private func entities(_ series: SeriesStatus) -> [Entity] {
        let state = state(ofSeries: series.id)
        func entity(
            _ component: String, _ name: String, _ title: String, _ members: KeyValuePairs<String, String>
        ) -> Entity {
            self.entity(
                component, "series_\(series.id)_\(name)", "\(series.id) \(title)", ofCamera: series.camera, members)
        }
        let film = entity(
            "sensor", "film", "last film",
            [
                "state_topic": state, "device_class": "date", "json_attributes_topic": state,
                "value_template": "{{ value_json.last_film.start[:10] if value_json.last_film else None }}",
                "json_attributes_template": "{{ (dict(value_json.last_film, path='/api/v1/series/\(series.id)/films/' "
                    + "~ value_json.last_film.clip ~ '/file') if value_json.last_film else {}) | tojson }}",
                "icon": "mdi:filmstrip",
            ])
        return (series.hasFilms ? [film] : []) + [
            entity(
                "switch", "run", "series",
                [
                    "state_topic": state, "command_topic": "\(topic)/series/\(series.id)/set",
                    "value_template":
                        "{{ 'OFF' if value_json.state in ['paused', 'stopped', 'completed'] else 'ON' }}",
                    "payload_on": "ON", "payload_off": "OFF", "icon": "mdi:timer-outline",
                ]),
            entity("sensor", "state", "state", ["state_topic": state, "value_template": "{{ value_json.state }}"]),
            entity(
                "sensor", "captured", "pictures",
                [
                    "state_topic": state, "value_template": "{{ value_json.captured }}",
                    "state_class": "total_increasing",
                ]),
            entity(
                "sensor", "missed", "missed slots",
                [
                    "state_topic": state, "value_template": "{{ value_json.missed }}",
                    "state_class": "total_increasing", "entity_category": "diagnostic",
                ]),
            entity(
                "sensor", "free", "free space",
                [
                    "state_topic": state, "device_class": "data_size", "unit_of_measurement": "B",
                    "value_template": "{{ value_json.storage.free_bytes if value_json.storage else None }}",
                    "entity_category": "diagnostic",
                ]),
            entity(
                "sensor", "left", "time left",
                [
                    "state_topic": state, "device_class": "duration", "unit_of_measurement": "s",
                    "value_template": "{{ value_json.storage.left_s if value_json.storage else None }}",
                    "entity_category": "diagnostic",
                ]),
        ]
    }

    private var unsent: Entity {
        entity(
            "sensor", "outbox_unsent", "Unsent pictures", outboxDevice,
            [
                "state_topic": outbox, "json_attributes_topic": outbox, "value_template": "{{ value_json.unsent }}",
                "state_class": "measurement", "icon": "mdi:tray-full",
            ])
    }

    private func entity(_ target: TargetReport) -> Entity {
        let (id, topic) = (target.state.id, state(ofTarget: target.state.id))
        return entity(
            "binary_sensor", "target_\(id)_problem", "\(id) problem", outboxDevice,
            [
                "state_topic": topic, "device_class": "problem", "json_attributes_topic": topic,
                "value_template": "{{ 'ON' if value_json.problem else 'OFF' }}", "entity_category": "diagnostic",
            ])
    }

    private func entity(
        _ component: String, _ object: String, _ title: String, ofCamera camera: String,
        _ members: KeyValuePairs<String, String>
    ) -> Entity {
        entity(component, object, title, device("\(node)_\(camera)", "Camera \(camera)", "Camera"), members)
    }

    /// The device of the outbox. The identifiers of cameras have a further word.
    private var outboxDevice: JSONValue { device(node, "Outbox", "Outbox") }

    private func device(_ identifier: String, _ name: String, _ model: String) -> JSONValue {
        .object([
            "identifiers": .array([.string(identifier)]), "name": .string(name),
            "manufacturer": .string("gst-capture"), "model": .string("\(model) of \(topic)"),
            "sw_version": .string(Version.current),
        ])
    }

    private func entity(
        _ component: String, _ object: String, _ title: String, _ device: JSONValue,
        _ members: KeyValuePairs<String, String>
    ) -> Entity {
        let common: [JSONValue.Member] = [
            .init(name: "name", value: .string(title)),
            .init(name: "unique_id", value: .string("\(node)_\(object)")),
            .init(name: "object_id", value: .string("\(node)_\(object)")),
            .init(name: "availability_topic", value: .string(availability)),
            .init(name: "device", value: device),
            .init(
                name: "origin",
                value: .object(["name": .string("gst-capture"), "sw_version": .string(Version.current)])),
        ]
        return Entity(
            component: component, object: object,
            config: .object(common + members.map { JSONValue.Member(name: $0, value: .string($1)) }))
    }
}
#endif
