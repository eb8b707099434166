// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A setting of a camera's driver, such as brightness, with what it may be set to.
public struct CameraControl: Sendable, Hashable, Identifiable {
    /// The kind of a control's values (`enum v4l2_ctrl_type`).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A whole number of 32 bits.
        case integer
        /// On or off.
        case boolean
        /// One of several words.
        case menu
        /// One of several numbers.
        case integerMenu = "integer-menu"
        /// Something to press; it has no value.
        case button
        /// A whole number of 64 bits.
        case integer64 = "integer64"
        /// 32 switches.
        case bitmask
        /// A text.
        case string
        /// An array or structure, which this library neither reads nor writes.
        case compound
    }

    /// What may be done with a control now (`V4L2_CTRL_FLAG_…`).
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The kernel's bits.
        public let rawValue: UInt32

        /// Wraps the kernel's bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Does not work on this device at all.
        public static let disabled = Flags(rawValue: 0x0001)
        /// Cannot be changed while something else is going on.
        public static let grabbed = Flags(rawValue: 0x0002)
        /// Cannot be changed.
        public static let readOnly = Flags(rawValue: 0x0004)
        /// Setting it changes others.
        public static let update = Flags(rawValue: 0x0008)
        /// Has no effect while another control is as it is, such as an automatic one.
        public static let inactive = Flags(rawValue: 0x0010)
        /// Cannot be read.
        public static let writeOnly = Flags(rawValue: 0x0040)
        /// The hardware changes it by itself; reading gives what holds now.
        public static let volatile = Flags(rawValue: 0x0080)

        /// The words that v4l2-ctl uses, in its order.
        public var names: [String] {
            let all: [(Flags, String)] = [
                (.disabled, "disabled"), (.grabbed, "grabbed"), (.readOnly, "read-only"), (.update, "update"),
                (.inactive, "inactive"), (.writeOnly, "write-only"), (.volatile, "volatile"),
            ]
            return all.filter { contains($0.0) }.map(\.1)
        }
    }

    /// An entry of a menu.
    public struct MenuItem: Sendable, Hashable {
        /// The value that stands for it.
        public let index: Int64
        /// What the driver calls it; of an integer menu, the number as text.
        public let name: String
        /// The number, of an integer menu.
        public let number: Int64?

        /// Creates an entry.
        public init(index: Int64, name: String, number: Int64? = nil) {
            self.index = index
            self.name = name
            self.number = number
        }
    }

    /// The kernel's number for it (`V4L2_CID_…`).
    public let id: ControlID
    /// The name in v4l2-ctl's spelling: `white_balance_automatic`.
    public let name: String
    /// The driver's name for people: `White Balance, Automatic`.
    public let title: String
    /// The kind of its values.
    public let kind: Kind
    /// The smallest value; of a string, the least number of bytes.
    public let minimum: Int64
    /// The largest value; of a string, the most bytes; of a bitmask, all bits that exist.
    public let maximum: Int64
    /// The distance between values; at least 1.
    public let step: UInt64
    /// The value that the driver starts with.
    public let defaultValue: Int64
    /// The entries of a menu that this device has.
    public let menu: [MenuItem]
    /// What may be done with it now.
    public let flags: Flags
    /// The value when it was listed; `nil` where it cannot be read.
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

    /// True where it can be set, now or once another control lets it.
    public var isWritable: Bool {
        flags.isDisjoint(with: [.disabled, .readOnly]) && kind != .compound
    }

    /// True where its value can be read.
    public var isReadable: Bool {
        flags.isDisjoint(with: [.disabled, .writeOnly]) && kind != .button && kind != .compound
    }

    /// The menu entry that is chosen.
    public var chosenItem: MenuItem? {
        menu.first { .integer($0.index) == value }
    }
}
