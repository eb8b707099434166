// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization

/// Delivers signals as an async sequence, none lost from the moment they are held back.
///
/// A thread waits for them (`sigwait`). No handler runs, so nothing is interrupted. SIGINT, SIGTERM and SIGQUIT that arrive
/// before there is a listener cancel the command, and end the process if that takes too long; all others wait for the
/// listener.
enum SignalListener {
    /// The signals that a capture understands, and those that whoever takes the terminal puts it back for.
    static let handled = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGQUIT, SIGTSTP, SIGCONT]

    private struct Start {
        var hasListener = false
        /// The signal that ends the command before there is a listener.
        var signal: Int32?
    }

    private static let start = Mutex(Start())
    /// A driver that hangs while the command starts is left alone after this.
    private static let patience = 2.0

    /// The numbers of signals as they arrive, for one caller; `nil` if one has ended the command already.
    static func listen() -> AsyncStream<Int32>? {
        start.withLock { start in
            start.hasListener = start.signal == nil
            return start.hasListener ? channel.stream : nil
        }
    }

    /// The exit status if a signal ended the command before there was a listener.
    static var status: ExitStatus? { start.withLock { $0.signal.map { ExitStatus(code: 128 + $0) } } }

    /// Holds signals back until somebody waits; threads that are created later inherit this, so it comes first.
    static func hold() {
        var set = signalSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader that goes away is an error to be told, not the end.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Stops the process as Ctrl-Z does, until somebody continues it.
    static func stop() { kill(getpid(), SIGSTOP) }

    /// Waits for signals on a separate thread, to the end of the process.
    ///
    /// - Parameter command: The task that is cancelled by a signal before there is a listener.
    static func deliver(orCancel command: Task<Never, Never>) {
        let queue = DispatchQueue(label: "gst-capture.signals")
        queue.async {
            var set = signalSet
            while true {
                var number: Int32 = 0
                if sigwait(&set, &number) == 0, !end(command, number) { channel.continuation.yield(number) }
            }
        }
    }

    /// Ends a command that has no listener yet; false if the signal is for the listener.
    private static func end(_ command: Task<Never, Never>, _ number: Int32) -> Bool {
        guard [SIGINT, SIGTERM, SIGQUIT].contains(number) else { return false }
        let (isEnd, isFirst) = start.withLock { start in
            guard !start.hasListener else { return (false, false) }
            defer { start.signal = start.signal ?? number }
            return (true, start.signal == nil)
        }
        guard isEnd else { return false }
        let leave: @Sendable () -> Void = {
            StandardStream.waitNoLonger()
            ExitStatus(code: 128 + number).leave()
        }
        guard isFirst else {
            leave()
            return true
        }
        command.cancel()
        DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: leave)
        return true
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
