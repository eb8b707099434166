// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A key that has a function in a command.
package protocol CommandKey: Sendable {
    /// Creates a key from its letter, in lower or upper case; returns `nil` for keys without a function.
    init?(letter: UInt8)
    /// Creates a key from its X11 name, as windows report it; returns `nil` for keys without a function.
    init?(windowKey name: String)
    /// Creates a key from the sequence that a terminal sends after `ESC [` or `ESC O`, such as `C` for the right arrow;
    /// returns `nil` for keys without a function.
    init?(sequence: ArraySlice<UInt8>)
    /// The key Esc.
    static var escape: Self { get }
}

extension CommandKey {
    package init?(sequence: ArraySlice<UInt8>) { nil }
}

/// Parses keys from the bytes that a terminal sends. Pure.
struct TypedKeys<Key: CommandKey> {
    private var state = State.plain
    private var sequence: [UInt8] = []

    /// `true` in an escape sequence, whose rest follows at once, or after the key Esc, which nothing follows.
    var isIncomplete: Bool { state != .plain }

    /// Adds bytes. A sequence can arrive in parts.
    ///
    /// - Returns: The keys that are complete now. It skips other keys, with their whole escape sequences.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if state == .plain, let key = Key(letter: byte) { keys.append(key) }
            let isInSequence = state == .sequence || state == .shift
            if isInSequence { sequence.append(byte) }
            state = state.next(byte)
            if isInSequence, state == .plain, let key = Key(sequence: sequence[...]) { keys.append(key) }
            if state != .sequence { sequence = [] }
        }
        return keys
    }

    /// Ends a sequence that no byte continued in time.
    ///
    /// - Returns: The key Esc, if its byte came last.
    mutating func pause() -> [Key] {
        defer { (state, sequence) = (.plain, []) }
        return state == .escape ? [.escape] : []
    }

    /// The position in an escape sequence of ECMA-48.
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
