// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionModel

extension Record {
    /// The record as the members of an object for programs.
    package var members: [JSONValue.Member] {
        [
            JSONValue.Member(name: "id", value: .string(id.description)),
            JSONValue.Member(name: "kind", value: .string(kind)),
            JSONValue.Member(name: "revision", value: .integer(revision)),
            JSONValue.Member(name: "trashed", value: .bool(isTrashed)),
            JSONValue.Member(name: "changed", value: .string(changed.iso8601)),
            JSONValue.Member(name: "actor", value: .optional(actor)),
        ] + content.members
    }

    /// The record as an object for programs.
    package var json: JSONValue { .object(members) }
}

extension RecordVersion {
    /// The version as an object for programs.
    package var json: JSONValue {
        .object(
            [
                JSONValue.Member(name: "revision", value: .integer(revision)),
                JSONValue.Member(name: "trashed", value: .bool(isTrashed)),
                JSONValue.Member(name: "changed", value: .string(changed.iso8601)),
                JSONValue.Member(name: "actor", value: .optional(actor)),
            ] + content.members)
    }
}

extension RecordKind {
    /// The kind as an object for programs.
    package var json: JSONValue {
        .object([
            "id": .string(id), "title": .string(title), "key": .optional(key),
            "fields": .array(
                fields.map { field in
                    .object([
                        "name": .string(field.name), "label": .optional(field.form.label),
                        "kind": .string(field.form.kind.rawValue), "required": .bool(field.form.isRequired),
                        "unique": .bool(isUnique(field)), "personal": .bool(field.isPersonal),
                        "pattern": .optional(field.form.pattern),
                        "choices": .array(field.form.choices.map(JSONValue.string)),
                        "from": field.source.map { .object(["side": .string($0.side), "read": .string("code")]) }
                            ?? .null,
                    ])
                }),
            "sides": .array(
                sides.map { side in
                    .object([
                        "name": .string(side.name), "label": .optional(side.label), "required": .bool(side.isRequired),
                        "session": .optional(side.session), "stage": .optional(side.stage),
                    ])
                }),
            "keep_ms": retention.map(JSONValue.milliseconds) ?? .null,
        ])
    }
}
