// Part of gst-capture. Apache License 2.0, see LICENSE.

extension JSONValue {
    /// Returns an event: its name, a time in ISO 8601, and its members without those whose value is `nil`.
    package static func event(_ name: String, _ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        event(name, members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// Returns an event: its name, a time in ISO 8601, and its members.
    package static func event(_ name: String, _ members: [Member], at time: WallTime = .now()) -> JSONValue {
        .object(
            [Member(name: "event", value: .string(name)), Member(name: "at", value: .string(time.iso8601))] + members)
    }
}

extension Notice {
    /// The members of an event `notice`. The message is the whole line that people read.
    package var members: KeyValuePairs<String, JSONValue?> {
        ["code": .string(code.rawValue), "subject": subject.map(JSONValue.string), "message": .string(description)]
    }
}

extension CaptureError {
    /// The error with its exit status.
    package var json: JSONValue {
        .object([
            "code": .string(code.description), "status": .integer(Int(code.exitStatus)), "subject": .optional(subject),
            "message": .string(message), "advice": .optional(advice),
        ])
    }
}
