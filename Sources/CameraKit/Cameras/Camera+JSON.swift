// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

// Cameras for programs: the command prints these objects, and the service sends them.

extension Camera {
    /// The camera with its formats as an object.
    package var json: JSONValue {
        .object([
            "id": .string(id), "name": .string(name), "kind": .string(kind.rawValue), "path": .optional(path),
            "driver": .optional(driver), "bus": .optional(busInfo), "serial": .optional(serial),
            "aliases": .array(aliases.map(JSONValue.string)), "usable": .bool(kind == .scene || isUsable),
            "problem": problem?.json ?? .null, "formats": .array(formats.map(\.json)),
        ])
    }

    /// The camera without its formats, for programs that get its frames from a service.
    package var deviceJSON: JSONValue {
        .object([
            "id": .string(id), "name": .string(name), "kind": .string(kind.rawValue), "path": .optional(path),
            "driver": .optional(driver), "bus": .optional(busInfo), "serial": .optional(serial),
            "make": .optional(make), "model": .optional(model), "aliases": .array(aliases.map(JSONValue.string)),
        ])
    }
}

extension CameraFormat {
    /// The format with its sizes as an object.
    package var json: JSONValue {
        .object([
            "fourcc": .string(fourcc.description), "title": .string(title),
            "media": .optional(media.map { "\($0)" }), "sizes": .array(sizes.map(\.json)),
        ])
    }
}

extension FrameSize {
    /// The largest width and height; for a range also its bounds and steps.
    fileprivate var json: JSONValue {
        .object([
            "width": .integer(width), "height": .integer(height), "widths": isSingle ? nil : widths.json,
            "heights": isSingle ? nil : heights.json, "rates": rates.json,
        ])
    }
}

extension SteppedRange {
    fileprivate var json: JSONValue {
        .object(["min": .integer(lowerBound), "max": .integer(upperBound), "step": .integer(step)])
    }
}

extension FrameRates {
    fileprivate var json: JSONValue {
        switch self {
        case .discrete(let rates): .array(rates.map { .string("\($0)") })
        case .range(let range):
            .object(["min": .string("\(range.lowerBound)"), "max": .string("\(range.upperBound)")])
        }
    }
}
