// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A setting of a camera's driver, such as brightness, with its range.
public struct CameraControl: Sendable, Hashable, Identifiable {
    /// The kind of a control's values (`enum v4l2_ctrl_type`).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A 32-bit integer.
        case integer
        /// On or off.
        case boolean
        /// One of several words.
        case menu
        /// One of several numbers.
        case integerMenu = "integer-menu"
        /// A trigger without a value.
        case button
        /// A 64-bit integer.
        case integer64 = "integer64"
        /// 32 switches.
        case bitmask
        /// A text.
        case string
        /// An array or structure, which this library neither reads nor writes.
        case compound
    }

    /// The current restrictions and properties of a control (`V4L2_CTRL_FLAG_…`).
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The kernel's bits.
        public let rawValue: UInt32

        /// Wraps the kernel's bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The control does not work on this device.
        public static let disabled = Flags(rawValue: 0x0001)
        /// The control cannot be changed for now, because another operation holds it.
        public static let grabbed = Flags(rawValue: 0x0002)
        /// The control is read-only.
        public static let readOnly = Flags(rawValue: 0x0004)
        /// A change of this control changes others.
        public static let update = Flags(rawValue: 0x0008)
        /// The control has no effect in the current state of another control, such as an automatic one.
        public static let inactive = Flags(rawValue: 0x0010)
        /// The control cannot be read.
        public static let writeOnly = Flags(rawValue: 0x0040)
        /// The hardware changes the value by itself; a read returns the current value.
        public static let volatile = Flags(rawValue: 0x0080)

        /// v4l2-ctl's names of the flags, in the order of the bits. Flags without a constant here are left out.
        public var names: [String] { Self.all.filter { contains($0.flag) }.map(\.name) }

        /// Creates the flags with these names; unknown names are ignored.
        init(names: [String]) { self = Flags(Self.all.filter { names.contains($0.name) }.map(\.flag)) }

        private static let all: [(flag: Flags, name: String)] = [
            (.disabled, "disabled"), (.grabbed, "grabbed"), (.readOnly, "read-only"), (.update, "update"),
            (.inactive, "inactive"), (.writeOnly, "write-only"), (.volatile, "volatile"),
        ]
    }

    /// An entry of a menu.
    public struct MenuItem: Sendable, Hashable {
        /// The value that selects the entry.
        public let index: Int64
        /// The driver's name of the entry; in an integer menu, the number as text.
        public let name: String
        /// The number of an integer menu's entry; `nil` in other menus.
        public let number: Int64?

        /// Creates an entry.
        public init(index: Int64, name: String, number: Int64? = nil) {
            self.index = index
            self.name = name
            self.number = number
        }
    }

    /// The kernel's number of the control (`V4L2_CID_…`).
    public let id: ControlID
    /// The name in v4l2-ctl's spelling: `white_balance_automatic`.
    public let name: String
    /// The driver's readable name: `White Balance, Automatic`.
    public let title: String
    /// The kind of the control's values.
    public let kind: Kind
    /// The smallest value; of a string, the least number of bytes.
    public let minimum: Int64
    /// The largest value; of a string, the most bytes; of a bitmask, all bits that exist.
    public let maximum: Int64
    /// The distance between values; at least 1.
    public let step: UInt64
    /// The driver's initial value.
    public let defaultValue: Int64
    /// The menu entries that this device offers.
    public let menu: [MenuItem]
    /// The current restrictions and properties.
    public let flags: Flags
    /// The value when the control was listed; `nil` if it cannot be read.
    public var value: ControlValue?

    /// Creates a description.
    public init(
        id: ControlID, name: String, title: String? = nil, kind: Kind, minimum: Int64 = 0, maximum: Int64 = 1,
        step: UInt64 = 1, defaultValue: Int64 = 0, menu: [MenuItem] = [], flags: Flags = [], value: ControlValue? = nil
    ) {
        self.id = id
        self.name = name
        self.title = title ?? name
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.step = max(step, 1)
        self.defaultValue = defaultValue
        self.menu = menu
        self.flags = flags
        self.value = value
    }

    /// `true` if the control can be set, at once or after a change of another control.
    public var isWritable: Bool {
        flags.isDisjoint(with: [.disabled, .readOnly]) && kind != .compound
    }

    /// `true` if the value can be read.
    public var isReadable: Bool {
        flags.isDisjoint(with: [.disabled, .writeOnly]) && kind != .button && kind != .compound
    }

    /// The selected menu entry; `nil` if there is none.
    public var chosenItem: MenuItem? {
        menu.first { .integer($0.index) == value }
    }
}
