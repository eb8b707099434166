// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization

/// Standard input as a keyboard, if it is a terminal: keys arrive one at a time, without echo.
///
/// Ctrl-C and Ctrl-Z stay signals. Code that ends or stops the process calls ``restore()`` first. SIGKILL cannot be
/// caught, so it leaves the terminal as it is.
enum KeyTerminal {
    /// Starts to read, and returns the keys as the user presses them, for one caller.
    static func keys<Key: CommandKey>(as kind: Key.Type = PreviewKey.self) -> AsyncStream<Key> {
        let (stream, continuation) = AsyncStream.makeStream(of: Key.self, bufferingPolicy: .bufferingNewest(64))
        guard isatty(STDIN_FILENO) == 1 else {
            continuation.finish()
            return stream
        }
        // With SIGTTIN ignored, a read in the background fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        DispatchQueue(label: "gst-capture.keys").async { read(into: continuation) }
        return stream
    }

    /// Changes the terminal's mode if this process is in the foreground. Call it again after the process was stopped
    /// and continued.
    static func acquire() {
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

    /// Restores the terminal's mode. Without a call of ``acquire()`` it does nothing.
    static func restore() {
        original.withLock { original in
            guard var settings = original, isInForeground else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            original = nil
        }
    }

    private static let original = Mutex<termios?>(nil)
    private static let foreground = DispatchSemaphore(value: 0)

    // The kernel stops a background process that changes the terminal.
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
