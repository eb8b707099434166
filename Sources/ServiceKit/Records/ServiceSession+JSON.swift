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
                CameraRole.allCases.compactMap { role in
                    cameras[role].map { JSONValue.Member(name: role.rawValue, value: .string($0)) }
                }),
            "tutorial": .array(description.tutorial.map { .string($0.text) }),
            "stages": .array(description.stages.map { $0.json(description) }), "run": state?.json ?? .null,
        ])
    }
}

extension SessionStage {
    fileprivate func json(_ session: SessionDescription) -> JSONValue {
        .object([
            "name": .string(name), "prompt": .string(prompt), "outline": .optional(outline),
            "pictures": .integer(pictures), "skippable": .bool(isSkippable),
            "countdown_ms": .milliseconds(session.countdown(of: self)),
            "gates": .array(session.gates(of: self).map { .string($0.kind.rawValue) }),
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
            "ended": .optional(record.ended), "pictures": .array(record.pictures.map(\.json)),
        ])
    }
}
