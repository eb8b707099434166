// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A key that means something during a session.
enum SessionKey: CommandKey, Hashable {
    /// Space.
    case go
    /// Enter, or `y`.
    case confirm
    /// Esc.
    case back
    case skip, abort, camera, library, mirror, retake, discard, cancel, help
    /// A picture of the review, from 1.
    case picture(Int)

    static let escape = Self.back

    init?(windowKey name: String) {
        switch name {
        case "space": self = .go
        case "Return", "KP_Enter": self = .confirm
        case "Escape": self = .back
        case "question", "slash", "F1": self = .help
        default:
            guard name.utf8.count == 1, let letter = name.utf8.first else { return nil }
            self.init(letter: letter)
        }
    }

    init?(letter: UInt8) {
        let small = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter ? letter | 0x20 : letter
        switch small {
        case UInt8(ascii: " "): self = .go
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "y"): self = .confirm
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .picture(Int(small - UInt8(ascii: "0")))
        case UInt8(ascii: "s"): self = .skip
        case UInt8(ascii: "a"): self = .abort
        case UInt8(ascii: "c"): self = .camera
        case UInt8(ascii: "l"): self = .library
        case UInt8(ascii: "m"): self = .mirror
        case UInt8(ascii: "r"): self = .retake
        case UInt8(ascii: "d"): self = .discard
        case UInt8(ascii: "q"): self = .cancel
        case UInt8(ascii: "h"), UInt8(ascii: "?"): self = .help
        default: return nil
        }
    }
}
