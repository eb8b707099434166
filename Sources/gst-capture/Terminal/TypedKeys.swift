// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A key that means something to a command.
protocol CommandKey: Sendable {
    /// The key by its letter, small or large; `nil` for keys that do nothing.
    init?(letter: UInt8)
    /// The key by X's name for it, as windows tell it; `nil` for keys that do nothing.
    init?(windowKey name: String)
    /// The key that a terminal sends as a sequence after `ESC [` or `ESC O`, such as `C` for the right arrow; `nil` for keys
    /// that do nothing.
    init?(sequence: ArraySlice<UInt8>)
    /// The key Esc.
    static var escape: Self { get }
}

extension CommandKey {
    init?(sequence: ArraySlice<UInt8>) { nil }
}

/// Reads keys out of the bytes that a terminal sends. Pure.
enum TypedKeys {
    /// The keys in what was typed at once; others are passed over, whole sequences of arrows and the like too.
    static func keys<Key: CommandKey>(in bytes: some Sequence<UInt8>, as kind: Key.Type = PreviewKey.self) -> [Key] {
        var (keys, state, sequence) = ([Key](), State.plain, [UInt8]())
        for byte in bytes {
            if state == .plain, let key = Key(letter: byte) { keys.append(key) }
            if state == .sequence || state == .shift { sequence.append(byte) }
            let isInSequence = state == .sequence || state == .shift
            state = state.next(byte)
            if isInSequence, state == .plain, let key = Key(sequence: sequence[...]) { keys.append(key) }
            if state != .sequence { sequence = [] }
        }
        // Nothing follows: the key itself, not the begin of a sequence.
        return state == .escape ? keys + [.escape] : keys
    }

    /// Where in a sequence of ECMA-48 a byte is.
    private enum State {
        case plain, escape, sequence, shift

        func next(_ byte: UInt8) -> State {
            switch (self, byte) {
            case (_, 0x1B): .escape
            case (.escape, UInt8(ascii: "[")): .sequence
            case (.escape, UInt8(ascii: "O")): .shift
            case (.sequence, 0x20...0x3F): .sequence
            default: .plain
            }
        }
    }
}
