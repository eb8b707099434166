// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit

/// A key that the user presses during a session, in its window or in the terminal.
enum SessionStroke: CommandKey, Hashable {
    case key(SessionKey)
    case escape
    /// A tile on the review's page, counted from 0.
    case tile(Int)
    /// Moves the selection in the review by this many tiles.
    case move(Int)
    /// The next or the previous page of the review.
    case page(isForward: Bool)
    case mirror
    case help

    init?(windowKey name: String) {
        switch name {
        case "space", "Return", "KP_Enter": self = .key(.go)
        case "Escape": self = .escape
        case "Right", "Down", "KP_Right", "KP_Down": self = .move(1)
        case "Left", "Up", "KP_Left", "KP_Up": self = .move(-1)
        case "Next", "Page_Down", "KP_Next", "KP_Page_Down": self = .page(isForward: true)
        case "Prior", "Page_Up", "KP_Prior", "KP_Page_Up": self = .page(isForward: false)
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
        case UInt8(ascii: "n"), UInt8(ascii: "N"): self = .move(1)
        case UInt8(ascii: "p"), UInt8(ascii: "P"): self = .move(-1)
        case UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "?"): self = .help
        default:
            let small = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter ? letter | 0x20 : letter
            guard let key = SessionKey(rawValue: String(UnicodeScalar(small))) else { return nil }
            self = .key(key)
        }
    }
}

extension SessionStroke {
    /// Creates a key from the sequence that a terminal sends for cursor keys, Page Up and Page Down.
    init?(sequence: ArraySlice<UInt8>) {
        switch Array(sequence) {
        case Array("C".utf8), Array("B".utf8): self = .move(1)
        case Array("D".utf8), Array("A".utf8): self = .move(-1)
        case Array("6~".utf8): self = .page(isForward: true)
        case Array("5~".utf8): self = .page(isForward: false)
        default: return nil
        }
    }

    /// The list of all keys, for the terminal.
    static var words: String {
        let lines = SessionKey.reference.map { "  \($0.keys): \($0.words)" }
        return "keys:\n" + lines.joined(separator: "\n")
    }
}
