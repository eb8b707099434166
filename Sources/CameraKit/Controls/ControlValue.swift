// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The value of a control.
public enum ControlValue: Sendable, Hashable {
    /// A number, a switch (0 or 1), the index of a menu entry, or bits.
    case integer(Int64)
    /// A text.
    case text(String)

    /// The number; `nil` for text.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}

extension ControlValue: CustomStringConvertible {
    /// The number or text, unchanged.
    public var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// A control and the value to set.
public struct ControlSetting: Sendable, Hashable {
    /// The control.
    public let id: ControlID
    /// Its name in v4l2-ctl's spelling.
    public let name: String
    /// The value to set.
    public let value: ControlValue

    /// Creates a setting.
    public init(id: ControlID, name: String, value: ControlValue) {
        self.id = id
        self.name = name
        self.value = value
    }

    init(_ control: CameraControl, _ value: ControlValue) {
        self.init(id: control.id, name: control.name, value: value)
    }

    init(_ control: CameraControl, _ value: Int64) {
        self.init(control, .integer(value))
    }
}

extension ControlSetting: CustomStringConvertible {
    /// The name and value: `brightness=128`.
    public var description: String { "\(name)=\(value)" }
}
