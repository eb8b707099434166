// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// What somebody types during a session, in its window or in the terminal.
enum SessionStroke: CommandKey, Hashable {
    case key(SessionKey)
    case escape
    /// A tile of the review, from 0.
    case tile(Int)
    case mirror
    case help

    init?(windowKey name: String) {
        switch name {
        case "space", "Return", "KP_Enter": self = .key(.go)
        case "Escape": self = .escape
        case "question", "slash", "F1": self = .help
        default:
            guard name.utf8.count == 1, let letter = name.utf8.first else { return nil }
            self.init(letter: letter)
        }
    }

    init?(letter: UInt8) {
        switch letter {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"): self = .key(.go)
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .tile(Int(letter - UInt8(ascii: "1")))
        case UInt8(ascii: "m"), UInt8(ascii: "M"): self = .mirror
        case UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "?"): self = .help
        default:
            let small = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter ? letter | 0x20 : letter
            guard let key = SessionKey(rawValue: String(UnicodeScalar(small))) else { return nil }
            self = .key(key)
        }
    }
}

extension SessionStroke {
    /// What all keys do, in two lines.
    static let words = """
        keys: space goes on, s skips, x aborts the run, c other camera, b brings a picture in, m mirror, q cancels;
              in the review: a accepts, 1 to 9 look closer, r takes once more, d discards
        """
}
