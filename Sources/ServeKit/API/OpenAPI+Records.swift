// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import RecordKit
import SessionKit

extension Schemas {
    /// The schemas of records.
    static let records: [(String, JSONValue)] = [
        (
            "RecordKinds",
            object([
                (
                    "kinds",
                    list(
                        object([
                            ("id", .id), ("title", text), ("key", orNull("string")), ("fields", list(recordField)),
                            ("sides", list(recordSide)), ("keep_ms", orNull("number")), ("count", integer),
                        ]))
                )
            ])
        ),
        (
            "Record",
            object(
                [
                    ("id", .recordID), ("kind", .id), ("revision", integer), ("trashed", boolean), ("changed", time),
                    ("actor", orNull("string")), ("sync", words(["clean", "dirty", "conflict", "refused"])),
                    ("reason", orNull("string")),
                ] + recordContent, optional: ["sync", "reason"])
        ),
        (
            "RecordSync",
            object([
                ("kind", .id), ("question", orNull("string")), ("answer", orNull("string")),
                ("pulled", orNull("string")),
                ("waiting", integer), ("conflicts", integer), ("refused", integer), ("conflicted", list(.recordID)),
            ])
        ),
        ("RecordAnswer", object([("answer", words(SyncAnswer.allCases.map(\.rawValue)))])),
        (
            "RecordConflicts",
            object([
                (
                    "conflicts",
                    list(
                        object([
                            ("id", .recordID), ("part", orNull("string")), ("base", .object([])), ("mine", .object([])),
                            ("theirs", .object([])),
                        ]))
                )
            ])
        ),
        (
            "RecordChoice",
            object(
                [("part", orNull("string")), ("choice", words(RecordChoice.allCases.map(\.rawValue)))],
                optional: ["part"])
        ),
        (
            "Records",
            object([
                ("records", list(OpenAPI.reference("Record"))), ("next", orNull("string")), ("total", integer),
            ])
        ),
        ("RecordContent", object(recordContent, optional: ["fields", "sides"])),
        (
            "RecordVersions",
            object([
                (
                    "versions",
                    list(
                        object(
                            [
                                ("revision", integer), ("trashed", boolean), ("changed", time),
                                ("actor", orNull("string")),
                            ] + recordContent))
                )
            ])
        ),
        ("RecordFaults", object([("faults", list(recordFault))])),
        (
            "RecordImport",
            object([
                ("stored", boolean), ("created", integer), ("changed", integer), ("unchanged", integer),
                ("faults", list(object([("line", integer)] + recordFaultMembers))),
            ])
        ),
        ("RecordRestore", object([("revision", integer)], optional: ["revision"])),
        (
            "RecordBlob",
            object([("sha256", text), ("bytes", integer), ("width", integer), ("height", integer)])
        ),
        (
            "RecordRunPicture",
            object([("session", text), ("run", text), ("stage", text)], optional: ["session", "run", "stage"])
        ),
        ("RecordBlobName", object([("sha256", text)])),
        ("RecordRead", object([("read", map(text)), ("codes", list(text))])),
        ("RecordPicture", object(recordPicture, optional: ["origin"])),
        ("RecordCropped", object(recordPicture + [("rectified", boolean)])),
        ("RecordBlobSource", object([("still", text), ("item", text)], optional: ["still", "item"])),
        (
            "RecordCrop",
            object(
                [
                    ("sha256", text), ("outline", text), ("adjustment", object(moves, optional: Set(moves.map(\.0)))),
                    ("rectify", boolean), ("session", boolean),
                ], optional: ["adjustment", "rectify", "session"])
        ),
    ]

    private static let moves = ["move_x", "move_y", "zoom", "turn"].map { ($0, number) }
    private static let recordPicture = [
        ("blob", OpenAPI.reference("RecordBlob")),
        ("origin", object([("blob", OpenAPI.reference("RecordBlob")), ("outline", text)] + moves)),
    ]
    private static let recordContent = [
        ("fields", map(text)), ("sides", map(OpenAPI.reference("RecordPicture"))),
    ]
    private static let recordField = object([
        ("name", text), ("label", orNull("string")), ("kind", words(FormField.Kind.allCases.map(\.rawValue))),
        ("required", boolean), ("unique", boolean), ("personal", boolean), ("pattern", orNull("string")),
        ("choices", list(text)), ("from", orNull("object")),
    ])
    private static let recordSide = object([
        ("name", text), ("label", orNull("string")), ("required", boolean), ("session", orNull("string")),
        ("stage", orNull("string")),
    ])
    /// A reason why a record is not valid; `part` is `field:NAME` or `side:NAME`, and null for the whole record.
    static let recordFault = object(recordFaultMembers)

    private static let recordFaultMembers = [
        ("part", orNull("string")), ("problem", text), ("advice", orNull("string")),
    ]

    private static func map(_ schema: JSONValue) -> JSONValue {
        .object(["type": .string("object"), "additionalProperties": schema])
    }
}
#endif
