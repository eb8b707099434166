// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Reads keys out of the bytes that a terminal sends. Pure.
struct TypedKeys: Sendable {
    /// The keys in what was typed at once; others are passed over, whole sequences of arrows and the like too.
    static func keys(in bytes: some Sequence<UInt8>) -> [PreviewKey] {
        var (keys, state) = ([PreviewKey](), State.plain)
        for byte in bytes {
            if state == .plain, let key = PreviewKey(letter: byte) { keys.append(key) }
            state = state.next(byte)
        }
        // Nothing follows: the key itself, not the begin of a sequence.
        return state == .escape ? keys + [.quit] : keys
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
