// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

// Controls for programs: the command prints these objects, and the service sends them.

extension CameraControl {
    /// The control with its value as an object.
    package var json: JSONValue {
        .object([
            "name": .string(name), "title": .string(title), "kind": .string(kind.rawValue),
            "value": value?.json ?? .null, "default": .integer(Int(defaultValue)),
            "min": .integer(Int(minimum)), "max": .integer(Int(maximum)),
            "step": .integer(Int(clamping: step)), "menu": .array(menu.map(\.json)),
            "flags": .array(flags.names.map(JSONValue.string)),
        ])
    }

    /// `true` if the driver's default can be set: the control has a value of its own now.
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
