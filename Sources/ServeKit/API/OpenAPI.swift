// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import FilmKit
import HTTPTypes
import Hummingbird
import ServiceKit
import UploadKit

/// The OpenAPI 3.1 document of the API, made from its endpoints.
enum OpenAPI {
    /// Returns the document.
    ///
    /// - Parameters:
    ///   - root: The relative path from the document to the root of the service.
    ///   - cookie: The name of the cookie with a token.
    ///   - examples: The IDs of this service, as examples for the parameters of paths, by name.
    static func document(
        of endpoints: [Endpoint], at root: String, cookie: String, examples: [String: [String]]
    ) -> JSONValue {
        let paths = endpoints.map(\.path).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("gst-capture"), "version": .string(Version.current),
                "description": .string("Cameras, series and pictures of a gst-capture service."),
                "license": .object([
                    "name": .string("Apache 2.0"),
                    "identifier": .string("Apache-2.0"),
                ]),
            ]),
            "servers": .array([.object(["url": .string(root)])]),
            "paths": members(
                paths.map { path in
                    (
                        path,
                        members(
                            endpoints.filter { $0.path == path }.map {
                                ($0.method.rawValue.lowercased(), operation($0, examples))
                            })
                    )
                }),
            "components": .object([
                "schemas": members(Schemas.all + Schemas.records),
                "securitySchemes": .object([
                    "token": .object([
                        "type": .string("http"), "scheme": .string("bearer"),
                        "description": .string("A token of gst-capture serve token add."),
                    ]),
                    "cookie": .object([
                        "type": .string("apiKey"), "in": .string("cookie"), "name": .string(cookie),
                        "description": .string("The cookie of a pairing link."),
                    ]),
                    "basic": .object([
                        "type": .string("http"), "scheme": .string("basic"),
                        "description": .string("A token with the role view as the password, with any user name."),
                    ]),
                    "address": .object([
                        "type": .string("apiKey"), "in": .string("query"), "name": .string("token"),
                        "description": .string("A token with the role view, for programs that send no headers."),
                    ]),
                ]),
                "responses": .object([
                    "Problem": .object([
                        "description": .string("An error with a code of the command."),
                        "content": content(["application/problem+json"], reference("Problem")),
                    ])
                ]),
            ]),
        ])
    }

    private static func operation(_ endpoint: Endpoint, _ examples: [String: [String]]) -> JSONValue {
        // Every request may be refused because of its target or parameters (400), its body (413) or its host (421).
        var problems: [HTTPResponse.Status] = [.badRequest, .contentTooLarge, .misdirectedRequest]
        // A request of another web page.
        if endpoint.senders(for: nil) != .all { problems.append(.forbidden) }
        // A missing, wrong or weak token.
        switch endpoint.requirement {
        case .open: break
        case .role, .openWithout: problems += [.unauthorized, .forbidden, .tooManyRequests]
        }
        problems += endpoint.problems + [.internalServerError, .serviceUnavailable]
        let codes = problems.map(\.code).reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }.sorted()
        let refusals = codes.map { ("\($0)", JSONValue.object(["$ref": .string("#/components/responses/Problem")])) }
        return .object([
            "operationId": .string(identifier(endpoint)), "summary": .string(endpoint.summary),
            "security": security(endpoint),
            "parameters": endpoint.parameters.isEmpty
                ? nil : .array(endpoint.parameters.map { parameter($0, examples[$0.name] ?? []) }),
            "requestBody": endpoint.body.map { body in
                .object(["required": .bool(body.isRequired), "content": content(body.types, schema(of: body))])
            },
            "responses": members(
                endpoint.responses.map { ("\($0.status.code)", response($0.status, $0.content)) } + refusals),
        ])
    }

    private static func schema(of body: RequestBody) -> JSONValue {
        switch body {
        case .json(let name), .document(let name), .optionalJSON(let name): reference(name)
        case .table: .object(["type": .string("string")])
        case .picture: .object(["type": .string("string"), "format": .string("binary")])
        }
    }

    /// The roles of an endpoint. A Unix socket, and a service without tokens, need none.
    private static func security(_ endpoint: Endpoint) -> JSONValue {
        let (role, isOptional): (Role, Bool)
        switch endpoint.requirement {
        case .open: return .array([])
        case .role(let required): (role, isOptional) = (required, false)
        case .openWithout(_, let required): (role, isOptional) = (required, true)
        }
        let roles = JSONValue.array([.string(role.rawValue)])
        return .array(
            ["token", "cookie"].map { .object([JSONValue.Member(name: $0, value: roles)]) }
                + (endpoint.isPicture
                    ? ["basic", "address"].map { .object([JSONValue.Member(name: $0, value: roles)]) } : [])
                + (isOptional ? [.object([JSONValue.Member]())] : []))
    }

    /// Returns a name such as `post-series-pause`, from the method and the parts of the path without parameters. A
    /// parameter that follows another one is named.
    private static func identifier(_ endpoint: Endpoint) -> String {
        let parts = endpoint.path.split(separator: "/").map(String.init).filter { !["api", "v1"].contains($0) }
        let hasID = parts.last?.hasPrefix("{") ?? false
        let isSecond = zip(parts, [""] + parts).map { $0.hasPrefix("{") && $1.hasPrefix("{") }
        let names =
            zip(parts, isSecond).filter { !$0.hasPrefix("{") || $1 }.map { part, _ in part.filter { !"{}".contains($0) }
            } + (hasID ? ["by-id"] : []) + (endpoint.ignoresUnknown ? ["plain"] : [])
        return ([endpoint.method.rawValue.lowercased()] + names).joined(separator: "-")
    }

    private static func parameter(_ parameter: Endpoint.Parameter, _ examples: [String]) -> JSONValue {
        let isPath = parameter.place == .path && !examples.isEmpty
        return .object([
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
            "description": .string(parameter.summary),
            "required": .bool(parameter.place == .path || parameter.isRequired),
            "schema": parameter.schema,
            "examples": isPath ? members(examples.map { ($0, .object(["value": .string($0)])) }) : nil,
        ])
    }

    private static func response(_ status: HTTPResponse.Status, _ content: Endpoint.Content) -> JSONValue {
        let description = ("description", JSONValue.string(status.reasonPhrase))
        switch content {
        case .json(let schema):
            return members([description, ("content", self.content(["application/json"], reference(schema)))])
        case .other(let types):
            return members([description, ("content", self.content(types, .object([JSONValue.Member]())))])
        case .none: return members([description])
        }
    }

    private static func content(_ types: [String], _ schema: JSONValue) -> JSONValue {
        members(types.map { ($0, .object(["schema": schema])) })
    }

    static func reference(_ schema: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/\(schema)")])
    }

    static func members(_ list: [(String, JSONValue)]) -> JSONValue {
        .object(list.map { JSONValue.Member(name: $0, value: $1) })
    }
}

/// The schemas of the API's objects. `ServiceStatus+JSON.swift` makes the objects.
enum Schemas {
    static let all: [(String, JSONValue)] = [
        ("Object", .type("object")),
        (
            "Problem",
            object(
                [
                    ("type", text), ("title", text), ("status", integer), ("code", text), ("detail", text),
                    ("advice", text), ("reason", text), ("faults", list(recordFault)),
                    ("record", OpenAPI.reference("Record")),
                ], optional: ["advice", "reason", "faults", "record"])
        ),
        (
            "Error",
            object([
                ("code", text), ("status", integer), ("subject", orNull("string")), ("message", text),
                ("advice", orNull("string")),
            ])
        ),
        (
            "LastPicture",
            object([
                ("captured", time), ("offset_ms", number), ("late", boolean), ("sequence", integer),
                ("bytes", integer), ("width", integer), ("height", integer),
            ])
        ),
        ("NextSlot", object([("slot", integer), ("due", time), ("in_ms", number)])),
        (
            "Camera",
            object([
                ("id", text), ("title", text), ("source", text),
                ("state", words(CameraHealth.State.allCases.map(\.rawValue))),
                ("message", text), ("series", list(text)), ("error", orNull(reference: "Error")),
                ("last_picture", orNull(reference: "LastPicture")), ("recording", orNull(reference: "Recording")),
                ("live", orNull(reference: "KeptFrames")),
            ])
        ),
        ("KeptFrames", object([("bytes", integer), ("limit_bytes", integer)])),
        (
            "Recording",
            object([
                ("state", words(ClipStatus.State.allCases.map(\.rawValue))), ("since", time),
                ("clip", orNull("integer")), ("bytes", orNull("integer")), ("microphone", orNull("string")),
                ("error", orNull(reference: "Error")), ("session", orNull(reference: "SessionClip")),
            ])
        ),
        ("SessionClip", object([("id", text), ("since", orNull("string")), ("microphone", orNull("string"))])),
        (
            "Clip",
            object([
                ("clip", integer), ("start", time), ("state", words(StoredClip.State.allCases.map(\.rawValue))),
                ("duration_ms", orNull("number")), ("frames", orNull("integer")), ("dropped", orNull("integer")),
                ("sound_ms", orNull("number")), ("bytes", orNull("integer")), ("width", integer), ("height", integer),
                ("reason", orNull("string")), ("error", orNull("string")),
            ])
        ),
        (
            "Clips",
            object([
                ("clips", list(OpenAPI.reference("Clip"))), ("next", orNull("integer")),
            ])
        ),
        (
            "FilmOrder",
            object(
                [
                    ("series", text), ("album", text), ("rate", number), ("length_s", number), ("width", integer),
                    ("height", integer), ("gaps", words(FilmSettings.Gaps.allCases.map(\.rawValue))),
                    ("deflicker", boolean), ("time", text), ("since", text), ("until", text),
                ],
                optional: [
                    "series", "album", "rate", "length_s", "width", "height", "gaps", "deflicker", "time", "since",
                    "until",
                ])
        ),
        (
            "FilmMaking",
            object([
                ("order", OpenAPI.reference("FilmOrder")), ("start", time), ("pictures", orNull("integer")),
                ("done", integer),
            ])
        ),
        ("FilmState", object([("making", orNull(reference: "FilmMaking"))])),
        ("StoppedClip", object([("clip", orNull("integer"))])),
        (
            "Series",
            object([
                ("id", text), ("camera", text), ("state", words(SeriesStatus.State.allCases.map(\.rawValue))),
                ("message", text), ("schedule", text), ("error", orNull(reference: "Error")),
                ("next_slot", orNull(reference: "NextSlot")), ("captured", integer), ("late", integer),
                ("missed", integer), ("failed", integer), ("last_picture", orNull(reference: "LastPicture")),
                ("lag", orNull(reference: "Lag")), ("storage", orNull(reference: "Storage")),
                ("removable", boolean), ("films", boolean), ("last_film", orNull(reference: "Clip")),
            ])
        ),
        ("Lag", object([("last_ms", number), ("mean_ms", number), ("largest_ms", number)])),
        (
            "Storage",
            object([("free_bytes", integer), ("left_s", orNull("integer"))])
        ),
        ("NewSeries", newSeries),
        ("LoanSettings", loanSettings),
        (
            "FrameCameras",
            object([("cameras", list(object([("id", .id), ("device", .type("object"))])))])
        ),
        (
            "Exposure",
            object(
                ["exposure_time_s", "gain", "sensitivity", "color_temperature_k"].map {
                    ($0, .object(["type": .array(["number", "null"].map(JSONValue.string))]))
                })
        ),
        ("Light", object([("lit", boolean)])),
        (
            "Control",
            object([
                ("id", integer), ("name", text), ("title", text), ("kind", text),
                ("value", .object(["type": .array(["integer", "string", "null"].map(JSONValue.string))])),
                ("default", integer), ("min", integer), ("max", integer), ("step", integer),
                ("menu", list(object([("index", integer), ("name", text)]))), ("flags", list(text)),
            ])
        ),
        (
            "Controls",
            object([
                ("controls", list(OpenAPI.reference("Control"))), ("locked", list(text)), ("ramped", list(text)),
                ("lockable", list(text)), ("rampable", list(text)),
                ("skipped", list(object([("name", text), ("reason", text)]))),
            ])
        ),
        (
            "ControlValues",
            .object([
                "type": .string("object"), "minProperties": .integer(1), "maxProperties": .integer(64),
                "additionalProperties": .object(["type": .array(["string", "number", "boolean"].map(JSONValue.string))]
                ),
            ])
        ),
        (
            "Format",
            object([
                ("fourcc", text), ("title", text), ("media", orNull("string")), ("sizes", list(.type("object"))),
            ])
        ),
        ("Formats", object([("formats", list(OpenAPI.reference("Format")))])),
        (
            "Device",
            object([
                ("id", text), ("name", text), ("kind", text), ("path", orNull("string")), ("driver", orNull("string")),
                ("bus", orNull("string")), ("serial", orNull("string")), ("aliases", list(text)), ("usable", boolean),
                ("problem", orNull(reference: "Error")), ("formats", list(OpenAPI.reference("Format"))),
            ])
        ),
        ("Devices", object([("devices", list(OpenAPI.reference("Device")))])),
        (
            "Preset",
            object([
                ("name", text), ("description", orNull("string")), ("error", orNull(reference: "Error")),
            ])
        ),
        ("Presets", object([("presets", list(OpenAPI.reference("Preset")))])),
        ("Outline", object([("name", text), ("title", orNull("string"))])),
        ("Outlines", object([("outlines", list(OpenAPI.reference("Outline")))])),
        (
            "Me",
            object([
                ("role", words(Role.allCases.map(\.rawValue))), ("name", orNull("string")), ("time", time),
                ("offers", list(words(["outbox", "records"]))),
            ])
        ),
        ("Cameras", object([("cameras", list(OpenAPI.reference("Camera")))])),
        ("AllSeries", object([("series", list(OpenAPI.reference("Series")))])),
        (
            "Status",
            object([
                ("version", text), ("started", time), ("ready", boolean), ("faults", list(text)),
                ("cameras", list(OpenAPI.reference("Camera"))), ("series", list(OpenAPI.reference("Series"))),
            ])
        ),
        (
            "Still",
            object([
                ("id", text), ("camera", text), ("series", text), ("captured", time), ("due", time),
                ("offset_ms", number), ("late", boolean), ("sequence", integer), ("burst_index", integer),
                ("type", text), ("bytes", integer), ("width", integer), ("height", integer),
                ("sha256", orNull("string")), ("brightness", orNull("number")), ("sharpness", orNull("number")),
            ])
        ),
        (
            "Session",
            object([
                ("id", text), ("title", text), ("purpose", text), ("cameras", .type("object")),
                ("language", text), ("languages", .type("object")), ("idle_ms", orNull("number")),
                ("share_ms", orNull("number")), ("copies", orNull("integer")), ("consent", orNull("object")),
                ("fields", list(.type("object"))),
                ("tutorial", list(text)), ("stages", list(OpenAPI.reference("Stage"))),
                ("run", orNull(reference: "RunState")),
            ])
        ),
        (
            "Stage",
            object([
                ("name", text), ("title", orNull("string")), ("prompt", text), ("outline", orNull("string")),
                ("crop", words(["none", "outline", "rectify"])), ("pictures", integer),
                ("skippable", boolean), ("countdown_ms", number), ("clip_ms", orNull("number")), ("audio", boolean),
                ("cameras", list(text)), ("gates", list(text)),
            ])
        ),
        (
            "RunState",
            object(
                [
                    ("id", orNull("string")), ("phase", text), ("stage", text), ("page", integer), ("role", text),
                    ("ready", boolean), ("stages", list(.type("object"))), ("pictures", list(.type("object"))),
                    ("set_aside", list(integer)), ("fields", .type("object")),
                ], optional: ["stage", "page", "role", "fields"])
        ),
        (
            "Run",
            object([
                ("id", text), ("state", text), ("begun", time), ("ended", orNull("string")),
                ("results", list(.type("object"))), ("pictures", list(.type("object"))),
            ])
        ),
        ("Sessions", object([("sessions", list(OpenAPI.reference("Session")))])),
        (
            "Runs",
            object([("runs", list(OpenAPI.reference("Run"))), ("next", orNull("string")), ("faults", list(text))])
        ),
        ("CapturedStills", object([("stills", list(OpenAPI.reference("Still")))])),
        (
            "Capture",
            object([
                ("id", text), ("state", words(["pending", "captured", "failed"])),
                ("stills", list(OpenAPI.reference("Still"))), ("error", orNull(reference: "Error")),
            ])
        ),
        ("Fields", .object(["type": .string("object"), "additionalProperties": text])),
        ("Shape", object([("x", number), ("y", number), ("width", number), ("height", number)])),
        (
            "Share",
            object([
                ("id", text), ("path", text), ("url", orNull("string")), ("expires", text), ("qr", text),
                ("side", integer),
            ])
        ),
        (
            "Printer",
            object([
                ("state", words(["idle", "processing", "stopped"])), ("accepting", boolean), ("message", text),
                ("reasons", list(text)),
            ])
        ),
        ("PrintJob", object([("job", integer), ("left", integer), ("printer", orNull(reference: "Printer"))])),
        (
            "Shared",
            object([
                ("title", text), ("titles", .type("object")), ("expires", text),
                (
                    "pictures",
                    list(
                        object([
                            ("number", integer), ("stage", text), ("name", text), ("duration_ms", orNull("number")),
                            ("poster", boolean), ("views", list(.type("object"))),
                        ])
                    )
                ),
                ("results", list(.type("object"))),
            ])
        ),
        ("CalledOff", object([("requests", integer)])),
        (
            "Stills",
            object([("stills", list(OpenAPI.reference("Still"))), ("next", orNull("string")), ("faults", list(text))])
        ),
        (
            "LibraryItem",
            object([
                ("id", text), ("kind", words(["still", "session", "file", "clip"])),
                ("state", words(["present", "missing", "trash"])), ("taken", time), ("name", text), ("bytes", integer),
                ("width", integer), ("height", integer), ("duration_ms", orNull("number")),
                ("sha256", orNull("string")), ("camera", orNull("string")), ("series", orNull("string")),
                ("session", orNull("string")), ("stage", orNull("string")),
                ("brightness", orNull("number")), ("sharpness", orNull("number")), ("tags", list(text)),
                ("stars", integer), ("title", orNull("string")),
                ("albums", list(text)), ("still", orNull("string")),
            ])
        ),
        (
            "LibraryItems",
            object([
                ("items", list(OpenAPI.reference("LibraryItem"))), ("next", orNull("string")), ("faults", list(text)),
            ])
        ),
        ("LibraryDays", object([("days", list(object([("day", text), ("count", integer)])))])),
        ("LibraryTags", object([("tags", list(object([("tag", text), ("count", integer)])))])),
        ("LibraryChange", .type("object")),
        (
            "LibraryTrash",
            object([
                ("items", list(.type("object"))), ("next", orNull("string")), ("count", integer), ("bytes", integer),
            ])
        ),
        ("LibraryAlbum", libraryAlbum),
        ("LibraryAlbums", object([("albums", list(OpenAPI.reference("LibraryAlbum")))])),
        ("LibraryAlbumChange", .type("object")),
        (
            "LibraryRoots",
            object([
                (
                    "roots",
                    list(object([("name", text), ("state", words(["online", "offline", "shrunk", "stale"]))]))
                )
            ])
        ),
        ("LibraryErased", object([("count", integer)])),
        (
            "OutboxTargets",
            object([
                ("faults", list(text)),
                (
                    "targets",
                    list(
                        object(
                            [
                                ("target", text), ("state", text), ("reason", text), ("since", time), ("retry", time),
                                ("waiting", integer), ("oldest", time), ("sent", integer), ("sent-bytes", integer),
                                ("last-sent", time), ("skipped", integer), ("dead", integer),
                                ("kept", integer),
                            ], optional: ["reason", "since", "retry", "oldest", "last-sent"]))
                ),
            ])
        ),
        (
            "LibraryUploads",
            object([
                (
                    "uploads",
                    list(
                        object(
                            [
                                ("target", text), ("state", words(UploadState.Word.allCases.map(\.rawValue))),
                                ("reason", text),
                            ], optional: ["reason"]))
                )
            ])
        ),
        (
            "OutboxJobs",
            object([
                (
                    "jobs",
                    list(
                        object([
                            ("job", integer), ("kind", text), ("state", text), ("taken", orNull("string")),
                            ("file", text), ("name", text), ("bytes", orNull("integer")), ("failures", integer),
                            ("reason", orNull("string")),
                        ]))
                )
            ])
        ),
    ]

    static let (text, integer, number) = (
        JSONValue.type("string"), JSONValue.type("integer"), JSONValue.type("number")
    )
    static let boolean = JSONValue.type("boolean")
    /// A value of a preset.
    private static let setting = JSONValue.object([
        "oneOf": .array([
            .object(["type": .array(["string", "number", "boolean"].map(JSONValue.string))]),
            list(text),
        ])
    ])
    /// The schemas of settings whose values have one form.
    private static let schemas: [String: JSONValue] = [
        "interval": .duration, "delay": .duration, "countdown": .duration, "for": .duration, "max-age": .duration,
        "stall-after": .duration,
        "quality": .object(["type": .string("integer"), "minimum": .integer(1), "maximum": .integer(100)]),
        "burst": .object(["type": .string("integer"), "minimum": .integer(1), "maximum": .integer(1000)]),
        "count": .object(["type": .string("integer"), "minimum": .integer(1), "maximum": .integer(1_000_000_000)]),
        "align": boolean, "live": boolean, "standby": boolean,
    ]
    private static let newSeries = JSONValue.object([
        "type": .string("object"), "required": .array([.string("id"), .string("camera")]),
        "description": .string("An ID, a camera, and settings with the names and values of a preset."),
        "properties": OpenAPI.members(
            [("id", .id), ("camera", .id)] + CreatedSeries.keys.map { ($0, schemas[$0] ?? setting) }),
        "additionalProperties": .bool(false),
    ])
    private static let loanSettings = JSONValue.object([
        "type": .string("object"),
        "description": .string("Settings with the names and values of a preset."),
        "properties": OpenAPI.members(
            LoanSettings.keys.map { ($0, $0 == "controls" ? .type("object") : setting) }),
        "additionalProperties": .bool(false),
    ])
    static let time = JSONValue.object(["type": .string("string"), "format": .string("date-time")])

    private static let libraryAlbum = object([
        ("id", text), ("title", text), ("count", integer), ("cover", orNull("string")),
    ])

    static func object(_ properties: [(String, JSONValue)], optional: Set<String> = []) -> JSONValue {
        let required = properties.map(\.0).filter { !optional.contains($0) }
        return .object([
            "type": .string("object"), "required": .array(required.map(JSONValue.string)),
            "properties": OpenAPI.members(properties),
        ])
    }

    static func list(_ schema: JSONValue) -> JSONValue {
        .object(["type": .string("array"), "items": schema])
    }

    static func words(_ words: [String]) -> JSONValue {
        .object(["type": .string("string"), "enum": .array(words.map(JSONValue.string))])
    }

    static func orNull(_ type: String) -> JSONValue {
        .object(["type": .array([.string(type), .string("null")])])
    }

    static func orNull(reference: String) -> JSONValue {
        .object(["oneOf": .array([OpenAPI.reference(reference), .type("null")])])
    }
}
#endif
