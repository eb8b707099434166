// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization

/// Standard input as a keyboard: each key at once and unseen, where it is a terminal that is ours.
///
/// Ctrl-C and Ctrl-Z stay signals. Whoever leaves or stops the process puts the terminal back first (``restore()``); what
/// cannot be caught, such as SIGKILL, leaves it as it is.
enum KeyTerminal {
    /// Keys as they are typed, for one caller; starts to read.
    static func keys<Key: CommandKey>(as kind: Key.Type = PreviewKey.self) -> AsyncStream<Key> {
        let (stream, continuation) = AsyncStream.makeStream(of: Key.self, bufferingPolicy: .bufferingNewest(64))
        guard isatty(STDIN_FILENO) == 1 else {
            continuation.finish()
            return stream
        }
        // In the background, reading fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        DispatchQueue(label: "gst-capture.keys").async { read(into: continuation) }
        return stream
    }

    /// Takes the terminal, where it is ours; also after the process was stopped and goes on.
    static func take() {
        guard isInForeground else { return }
        original.withLock { original in
            var settings = termios()
            guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            original = original ?? settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        }
        foreground.signal()
    }

    /// Puts the terminal back to how it was; where it was not taken, nothing happens.
    static func restore() {
        original.withLock { original in
            guard var settings = original, isInForeground else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            original = nil
        }
    }

    private static let original = Mutex<termios?>(nil)
    private static let foreground = DispatchSemaphore(value: 0)

    // Whoever changes a terminal from the background is stopped.
    private static var isInForeground: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    private static func read<Key: CommandKey>(into keys: AsyncStream<Key>.Continuation) {
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 {
                for key in TypedKeys.keys(in: bytes.prefix(count), as: Key.self) { keys.yield(key) }
            } else if count < 0, errno == EIO, !isInForeground {
                foreground.wait()
            } else if count == 0 || errno != EINTR {
                return keys.finish()
            }
        }
    }
}
