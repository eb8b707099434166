// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

// Controls for programs: the command prints these objects, and the service sends them.

extension CameraControl {
    /// The control with its value as an object.
    package var json: JSONValue {
        .object([
            "id": .integer(Int(id.rawValue)), "name": .string(name), "title": .string(title),
            "kind": .string(kind.rawValue),
            "value": value?.json ?? .null, "default": .integer(Int(defaultValue)),
            "min": .integer(Int(minimum)), "max": .integer(Int(maximum)),
            "step": .integer(Int(clamping: step)), "menu": .array(menu.map(\.json)),
            "flags": .array(flags.names.map(JSONValue.string)),
        ])
    }

    /// Reads a control that ``json`` describes.
    ///
    /// - Throws: `CaptureError` `.inputOutput` if the object is something else.
    package init(_ node: JSONNode) throws(CaptureError) {
        var menu: [MenuItem] = []
        for entry in try node.list("menu") {
            let name = try entry.text("name").withoutControls
            menu.append(MenuItem(index: Int64(try entry.integer("index", Int.min...Int.max)), name: name))
        }
        let kind: Kind = try node.word("kind")
        self.init(
            id: ControlID(rawValue: UInt32(try node.integer("id", 0...Int(UInt32.max)))),
            name: try node.text("name").withoutControls, title: try node.text("title").withoutControls, kind: kind,
            minimum: Int64(try node.integer("min", Int.min...Int.max)),
            maximum: Int64(try node.integer("max", Int.min...Int.max)),
            step: UInt64(try node.integer("step", 0...Int.max)),
            defaultValue: Int64(try node.integer("default", Int.min...Int.max)), menu: menu,
            flags: Flags(names: try node.texts("flags")), value: try Self.value(node, kind))
    }

    private static func value(_ node: JSONNode, _ kind: Kind) throws(CaptureError) -> ControlValue? {
        guard node.has("value") else { return nil }
        if kind == .string { return .text(try node.text("value").withoutControls) }
        return .integer(Int64(try node.integer("value", Int.min...Int.max)))
    }

    /// `true` if the driver's default can be set: the control can be set now, and has another value.
    package var canBeRestored: Bool {
        isWritable && isReadable && kind != .string && flags.isDisjoint(with: [.inactive, .grabbed, .volatile])
            && value != .integer(defaultValue)
    }
}

extension ControlValue {
    fileprivate var json: JSONValue {
        switch self {
        case .integer(let number): .integer(Int(number))
        case .text(let text): .string(text)
        }
    }
}

extension CameraControl.MenuItem {
    fileprivate var json: JSONValue { .object(["index": .integer(Int(index)), "name": .string(name)]) }
}

extension CameraControls {
    /// Sets all controls that can be restored to the driver's defaults.
    package func reset() throws(CaptureError) {
        // Two passes: automatic controls release or take over others when they are restored.
        for _ in 0..<2 {
            for control in try list() where control.canBeRestored { try set(control.name, to: "default") }
        }
    }
}
