// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization

/// Ends a command at SIGINT or SIGTERM: its work stops at the next picture, so that it can say how far it came. A
/// second signal ends the process at once, which loses nothing either.
package enum Interruption {
    private static let signals = [SIGINT, SIGTERM]
    private static let number = Atomic<Int32>(0)
    /// The seconds that a command may take to end: it may read from a pipe, or commit many changes.
    private static let patience = 2.0

    /// The exit status after a signal; `nil` without one.
    package static var status: Int32? {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? nil : 128 + number
    }

    /// Runs a command in a task that the first signal cancels. Call it first: threads that exist already would get the
    /// signals.
    package static func run(_ command: @escaping @Sendable () async -> Never) -> Never {
        StandardStream.holdPlaces()
        signal(SIGPIPE, SIG_IGN)
        hold()
        deliver(to: Task.detached { await command() })
        while true { pause() }
    }

    /// Blocks the signals until a thread waits for them. Threads that are created later inherit this.
    private static func hold() {
        var set = signalSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for signals on a thread, until the process ends.
    private static func deliver(to command: Task<Never, Never>) {
        DispatchQueue(label: "gst-capture.signals").async {
            var (set, received) = (signalSet, Int32(0))
            while true {
                guard sigwait(&set, &received) == 0 else { continue }
                let isFirst = number.compareExchange(expected: 0, desired: received, ordering: .relaxed).exchanged
                guard isFirst else { _exit(128 + received) }
                command.cancel()
                DispatchQueue.global().asyncAfter(deadline: .now() + patience) { _exit(status ?? 0) }
            }
        }
    }

    private static var signalSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
