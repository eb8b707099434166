// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Delivers signals as an async sequence, none lost from the moment they are held back.
///
/// The main thread waits for them (`sigwait`). No handler runs, so nothing is interrupted, and a signal that arrives
/// while the program still starts waits for its turn instead of ending it.
enum SignalListener {
    /// The signals that a capture understands, and those that whoever takes the terminal puts it back for.
    static let handled = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGQUIT, SIGTSTP, SIGCONT]

    /// The numbers of signals as they arrive; for one caller.
    static var signals: AsyncStream<Int32> { channel.stream }

    /// Holds signals back until somebody waits; threads that are created later inherit this, so it comes first.
    static func hold() {
        var set = signalSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader that goes away is an error to be told, not the end.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Stops the process as Ctrl-Z does, until somebody continues it.
    static func stop() { kill(getpid(), SIGSTOP) }

    /// Waits for signals, to the end of the process.
    static func deliver() -> Never {
        var set = signalSet
        while true {
            var number: Int32 = 0
            if sigwait(&set, &number) == 0 { channel.continuation.yield(number) }
        }
    }

    private static let channel = AsyncStream.makeStream(of: Int32.self)

    private static var signalSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in handled where !([SIGHUP, SIGTSTP].contains(number) && isIgnored(number)) {
            sigaddset(&set, number)
        }
        return set
    }

    // nohup(1) says that the end of the terminal is none of our business, a shell without jobs that nobody stops us.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
