// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import Dispatch
import Glibc
import Synchronization

/// Standard input as a keyboard, if it is a terminal: keys arrive one at a time, without echo.
///
/// Ctrl-C and Ctrl-Z stay signals. Code that ends or stops the process calls ``restore()`` first. SIGKILL cannot be
/// caught, so it leaves the terminal as it is.
package enum KeyTerminal {
    /// Starts to read, and returns the keys as the user presses them, for one caller.
    ///
    /// In the background there are none. If the shell then gives the terminal to this process without a signal, as `fg`
    /// does with a running job, keys arrive from the first Enter on.
    package static func keys<Key: CommandKey>(as kind: Key.Type) -> AsyncStream<Key> {
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
    package static func acquire() {
        guard isInForeground else { return }
        original.withLock { original in
            var settings = termios()
            guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            original = original ?? settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            set(settings)
        }
    }

    /// Restores the terminal's mode. Without a call of ``acquire()``, or in the background, it does nothing.
    package static func restore() {
        original.withLock { original in
            guard let settings = original, isInForeground else { return }
            set(settings)
            original = nil
        }
    }

    private static let original = Mutex<termios?>(nil)

    // Both modes differ in the input alone. TCSADRAIN would wait for output, forever on a serial line after Ctrl-S.
    private static func set(_ settings: termios) {
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    // The kernel stops a background process that changes the terminal.
    private static var isInForeground: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// The longest time between two bytes of an escape sequence, in milliseconds. A byte alone is the key Esc.
    private static let sequencePause: Int32 = 100

    private static func read<Key: CommandKey>(into keys: AsyncStream<Key>.Continuation) {
        var bytes = [UInt8](repeating: 0, count: 256)
        var typed = TypedKeys<Key>()
        // No signal and no error tells that the process is in the foreground again; bytes that arrive may be for it.
        let arrivals = cepoll_watch_arrivals(STDIN_FILENO)
        defer { if arrivals >= 0 { close(arrivals) } }
        while true {
            let count = StandardInput.read(into: &bytes)
            if count > 0 {
                for key in typed.add(bytes.prefix(count)) { keys.yield(key) }
                guard typed.isIncomplete, !StandardInput.awaitBytes(within: sequencePause) else { continue }
                for key in typed.pause() { keys.yield(key) }
            } else if count < 0, errno == EIO, !isInForeground, awaitArrival(arrivals) {
                typed = TypedKeys()
                acquire()
            } else {
                return keys.finish()
            }
        }
    }

    /// Waits for bytes that arrive at the terminal, or until the process was stopped and continued. It blocks.
    ///
    /// - Returns: `false` if the wait failed.
    private static func awaitArrival(_ arrivals: Int32) -> Bool { cepoll_await_arrival(arrivals) > 0 || errno == EINTR }
}
