// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

extension LibraryItem {
    /// The picture as an object for programs, without a path of this machine.
    package var json: JSONValue { .object(members) }

    /// The members of ``json``; the first one is the ID.
    package var members: [JSONValue.Member] {
        let values: KeyValuePairs<String, JSONValue> = [
            "id": .string("\(id)"), "kind": .string(facts.kind.word), "state": .string("\(state)"),
            "taken": .string(facts.taken.iso8601), "name": .string(facts.fileName), "bytes": .integer(facts.byteCount),
            "width": .integer(facts.width), "height": .integer(facts.height),
            "duration_ms": facts.duration.map(JSONValue.milliseconds) ?? .null, "sha256": .optional(facts.sha256),
            "camera": .optional(facts.camera), "series": .optional(facts.series), "session": .optional(facts.session),
            "stage": .optional(facts.stage), "brightness": facts.brightness.map(JSONValue.number) ?? .null,
            "sharpness": facts.sharpness.map(JSONValue.number) ?? .null,
            "tags": .array(notes.tags.map(JSONValue.string)), "stars": .integer(notes.stars),
            "title": .optional(notes.title), "albums": .array(albums.map(JSONValue.string)),
        ]
        return values.map { JSONValue.Member(name: $0.key, value: $0.value) }
    }
}

extension LibraryDay {
    /// The day as an object for programs: `{"day": "2026-03-01", "count": 12}`.
    package var json: JSONValue { .object(["day": .string(date), "count": .integer(count)]) }

    /// The date, such as 2026-03-01.
    package var date: String {
        String(WallTime(seconds: Int64(day) * 86400, nanoseconds: 0, utcOffset: 0).iso8601.prefix(10))
    }
}
#endif
