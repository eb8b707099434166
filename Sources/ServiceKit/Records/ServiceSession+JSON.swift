// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionKit

// Sessions and their runs as JSON, without paths of this machine. `OpenAPI` of the program describes these members.

extension ServiceSession {
    /// The session as an object.
    ///
    /// - Parameter state: The state of its run; `nil` if it is not running.
    package func json(_ state: SessionRunState?) -> JSONValue {
        let description = file.session
        return .object([
            "id": .string(id), "title": .string(description.title), "purpose": .string(description.purpose),
            "cameras": .object(
                cameras.sorted { $0.key < $1.key }.map { role, camera in
                    JSONValue.Member(name: role.rawValue, value: .string(camera))
                }),
            "language": .string(description.language),
            "languages": .object(
                description.languages.sorted { $0.key < $1.key }.map {
                    JSONValue.Member(name: $0.key, value: $0.value.json)
                }),
            "idle_ms": description.idle.map(JSONValue.milliseconds) ?? .null,
            "share_ms": description.sharing.map(JSONValue.milliseconds) ?? .null,
            "copies": printer.map { .integer($0.mostCopies) } ?? .null,
            "consent": description.consent?.json ?? .null, "fields": .array(description.form.map(\.json)),
            "tutorial": .array(description.tutorial.map { .string($0.text) }),
            "stages": .array(description.stages.map { $0.json(description) }), "run": state?.json ?? .null,
        ])
    }
}

extension SessionStage {
    fileprivate func json(_ session: SessionDescription) -> JSONValue {
        .object([
            "name": .string(name), "title": .optional(title), "prompt": .string(prompt), "outline": .optional(outline),
            "crop": .string(crop.rawValue), "pictures": .integer(pictures), "skippable": .bool(isSkippable),
            "countdown_ms": .milliseconds(session.countdown(of: self)),
            "clip_ms": clip.map(JSONValue.milliseconds) ?? .null, "audio": .bool(clip != nil && microphone != .off),
            "cameras": .array(cameras.map { .string($0.rawValue) }),
            "gates": .array(session.gates(of: self).map { .string($0.kind.rawValue) }),
        ])
    }
}

extension SessionConsent {
    fileprivate var json: JSONValue {
        .object(["text": .string(text), "retention_ms": retention.map(JSONValue.milliseconds) ?? .null])
    }
}

extension FormField {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "label": .optional(label), "kind": .string(kind.rawValue),
            "required": .bool(isRequired), "scan": .bool(isScanned), "pattern": .optional(pattern),
            "choices": .array(choices.map(JSONValue.string)),
        ])
    }
}

extension SessionWords {
    fileprivate var json: JSONValue {
        .object([
            "title": .optional(title), "purpose": .optional(purpose), "consent": .optional(consent),
            "tutorial": .array(tutorial.map(JSONValue.string)),
            "stages": .object(
                stages.sorted { $0.key < $1.key }.map { name, stage in
                    JSONValue.Member(
                        name: name,
                        value: .object(["title": .optional(stage.title), "prompt": .optional(stage.prompt)]))
                }),
            "fields": .object(labels.members),
        ])
    }
}

extension SessionRunState {
    /// The state as an object.
    package var json: JSONValue {
        var members = snapshot.members(of: description).compactMap { name, value in
            value.map { JSONValue.Member(name: name, value: $0) }
        }
        members.removeAll { ["folder", "camera", "seq"].contains($0.name) }
        members.insert(JSONValue.Member(name: "id", value: .optional(run)), at: 0)
        return .object(members)
    }
}

extension SessionArchive.Entry {
    /// The run as an object.
    package var json: JSONValue {
        .object([
            "id": .string(id), "state": .string(record.state), "begun": .string(record.begun),
            "ended": .optional(record.ended), "results": .array(record.results.map(\.json)),
            "pictures": .array(record.pictures.map(\.json)),
        ])
    }
}
