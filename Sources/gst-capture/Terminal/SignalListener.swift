// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization
import TerminalKit

/// Delivers signals as an async sequence. No signal is lost after ``hold()``, but one that arrives again while it is
/// pending counts once (signal(7)).
///
/// A thread waits for signals (`sigwait`). No handler runs, so nothing is interrupted. SIGINT, SIGTERM and SIGQUIT that
/// arrive before there is a listener cancel the command, and end the process if that takes too long. All others wait
/// for the listener.
enum SignalListener {
    /// The signals that a capture handles, and those before which the terminal is restored.
    static let handled = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGQUIT, SIGTSTP, SIGCONT]

    private struct Start {
        var hasListener = false
        /// The signal that ends the command before there is a listener.
        var signal: Int32?
    }

    private static let start = Mutex(Start())
    /// The seconds to wait for a driver that hangs while the command starts.
    private static let patience = 2.0

    /// Returns the signals as they arrive, for one caller; `nil` if a signal has ended the command already.
    static func listen() -> AsyncStream<Int32>? {
        start.withLock { start in
            start.hasListener = start.signal == nil
            return start.hasListener ? channel.stream : nil
        }
    }

    /// The exit status if a signal ended the command before there was a listener.
    static var status: ExitStatus? { start.withLock { $0.signal.map { ExitStatus(code: 128 + $0) } } }

    /// Blocks the signals until a thread waits for them. Threads that are created later inherit this, so call it first.
    static func hold() {
        var set = signalSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A write to a closed pipe is an error to report; SIGPIPE would end the process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Stops the process, as SIGTSTP does by default, until it is continued.
    ///
    /// The kernel ignores SIGTSTP if no shell could continue the process, as in `ssh -t` or a container: the process
    /// group is orphaned. Then it returns at once. SIGSTOP would stop the process even there.
    static func stop() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        // The signal is for this thread alone, so that `deliver(orCancel:)` does not receive it once more.
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for signals on a separate thread, until the process ends.
    ///
    /// - Parameter command: The task that a signal cancels before there is a listener.
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

    /// Ends a command that has no listener yet; returns `false` if the signal is for the listener.
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

    // nohup(1) ignores SIGHUP so that the process outlives its terminal. A shell without job control ignores SIGTSTP.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
