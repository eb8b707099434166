// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import FrameMeasures

/// The JSON of `session.json`.
extension SessionRecord {
    /// The value of the `format` member, which identifies the file.
    package static let format = "gst-capture-session"

    /// The contents of the file, with each member of the root on a separate line.
    package var json: String {
        JSONValue.object([
            "format": .string(Self.format), "version": .integer(Self.version),
            "session": .string(progress.session), "title": .string(title),
            "definition": definition.map(JSONValue.string),
            "state": .string(state), "begun": .string(begun),
            "ended": ended.map(JSONValue.string), "next_picture": .integer(progress.nextPicture),
            "consented": consented.map(JSONValue.string), "retention_ms": retention.map(JSONValue.milliseconds),
            "fields": progress.form.isEmpty ? nil : .object(progress.form.members),
            "reviewed": progress.wasReviewed ? .bool(true) : nil,
            "results": results.isEmpty ? nil : .array(results.map(\.json)),
            "stages": .array(progress.stages.map(stage)), "set_aside": .array(pictures(progress.setAside)),
        ]).fileText
    }

    /// The value of the `state` member: `open`, `accepted` or `cancelled`.
    package var state: String { progress.ending?.rawValue ?? Self.openState }

    /// The state of a session that is running, or was left.
    static let openState = "open"

    private func stage(_ stage: StageProgress) -> JSONValue {
        .object([
            "name": .string(stage.name), "state": .string(stage.state.rawValue),
            "pictures": .array(pictures(stage.pictures)),
            "former": stage.former.map { .array(pictures($0)) }, "retaken": stage.retaken.map(JSONValue.integer),
        ])
    }

    private func pictures(_ pictures: [SessionPicture]) -> [JSONValue] {
        pictures.map { stills[$0.number]?.json ?? .object(["number": .integer($0.number)]) }
    }
}

extension [String: String] {
    /// The values in the order of their names.
    package var members: [JSONValue.Member] {
        sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key, value: .string($0.value)) }
    }
}

extension SessionStill {
    /// The entry of the picture in `session.json`.
    package var json: JSONValue {
        let taking: [(String, JSONValue?)] = [
            ("origin", .string(origin.rawValue)), ("source", source.map(JSONValue.string)),
            ("role", role.map { .string($0.rawValue) }), ("camera", camera.map(JSONValue.string)),
            ("taken", taken.map(JSONValue.string)), ("offset_ms", offset.map(JSONValue.milliseconds)),
            ("latency_ms", latency.map(JSONValue.milliseconds)), ("best_of", .integer(bestOf)),
            ("sharpness", sharpness.map(JSONValue.number)), ("exposure_us", exposureTime.map { .number($0 * 1e6) }),
            ("iso", sensitivity.map(JSONValue.number)), ("gates", .array(gates.map(\.json))),
            ("outline", outline?.json), ("crop", crop?.json),
            ("views", views.isEmpty ? nil : .array(views.map(\.json))), ("poster", poster?.json),
        ]
        let head: [(String, JSONValue?)] = [("number", .integer(number)), ("stage", .string(stage))]
        let clip = [("duration_ms", duration.map(JSONValue.milliseconds))]
        return .object(present: head + file.members + clip + taking)
    }
}

extension SessionFileRecord {
    /// The file as an object.
    package var json: JSONValue {
        .object(present: members)
    }

    fileprivate var members: [(String, JSONValue?)] {
        [
            ("file", .string(name)), ("bytes", .integer(byteCount)), ("sha256", .string(sha256)),
            ("width", .integer(width)), ("height", .integer(height)),
        ]
    }
}

extension SessionCrop {
    fileprivate var json: JSONValue {
        let corners = JSONValue.array(corners.corners.map { .array([.number($0.x), .number($0.y)]) })
        let rest: [(String, JSONValue?)] = [("corners", corners), ("confidence", confidence.map(JSONValue.number))]
        return .object(present: file.members + rest)
    }
}

extension SessionStill.View {
    fileprivate var json: JSONValue {
        let taking: [(String, JSONValue?)] = [
            ("role", .string(role.rawValue)), ("camera", .string(camera)), ("taken", .string(taken)),
            ("offset_ms", .milliseconds(offset)),
        ]
        return .object(present: file.members + taking)
    }
}

extension SessionOutline {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "position": .array([.number(position.x), .number(position.y)]),
            "size": .number(size),
            "preview": .object([
                "width": .integer(previewWidth), "height": .integer(previewHeight),
                "picture": .array([picture.x, picture.y, picture.width, picture.height].map(JSONValue.number)),
                "mirrored": .bool(isMirrored),
            ]),
        ])
    }
}

extension GateScore {
    fileprivate var json: JSONValue {
        .object([
            "gate": .string(kind.rawValue), "holds": .bool(holds), "score": score.map(JSONValue.number),
            "threshold": .number(threshold), "off": isOff ? .bool(true) : nil,
        ])
    }
}
