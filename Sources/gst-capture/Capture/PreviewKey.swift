// Part of gst-capture. Apache License 2.0, see LICENSE.

import TerminalKit

/// A key of a preview; the raw value is its name in JSON.
enum PreviewKey: String, CommandKey, Hashable, CaseIterable {
    case still, timer, `repeat`, outline, ghost, mirror, help, quit

    static let escape = Self.quit

    /// Creates a key from its X11 name, as windows report it; returns `nil` for keys without a function.
    init?(windowKey name: String) {
        switch name {
        case "space": self = .still
        case "Escape": self = .quit
        // Some windows report the key instead of the character: `?` shares its key with `/` on many keyboards.
        case "question", "slash", "F1": self = .help
        default:
            guard name.utf8.count == 1, let letter = name.lowercased().utf8.first,
                let key = Self.allCases.first(where: { $0.letter == letter })
            else { return nil }
            self = key
        }
    }

    /// Creates a key from its letter, in lower or upper case; returns `nil` for keys without a function.
    init?(letter: UInt8) {
        guard letter != UInt8(ascii: "?") else {
            self = .help
            return
        }
        let small = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter ? letter | 0x20 : letter
        guard let key = Self.allCases.first(where: { $0.letter == small }) else { return nil }
        self = key
    }

    private var letter: UInt8 {
        switch self {
        case .still: UInt8(ascii: " ")
        case .timer: UInt8(ascii: "d")
        case .repeat: UInt8(ascii: "r")
        case .outline: UInt8(ascii: "o")
        case .ghost: UInt8(ascii: "g")
        case .mirror: UInt8(ascii: "m")
        case .help: UInt8(ascii: "h")
        case .quit: UInt8(ascii: "q")
        }
    }
}
