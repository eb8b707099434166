// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import Glibc
import Synchronization
import SystemBase

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

    /// Runs a command on a thread that may block, in a task that the first signal cancels, and ends the process with its
    /// status. Call it first: threads that exist already would get the signals.
    ///
    /// - Parameters:
    ///   - label: The name of the thread.
    ///   - fail: Ends the process after an error other than a `CaptureError`.
    package static func run(
        _ label: String, _ command: @escaping @Sendable () async throws -> Void,
        otherwise fail: @escaping @Sendable (any Error) -> Never
    ) -> Never {
        StandardStream.holdPlaces()
        signal(SIGPIPE, SIG_IGN)
        hold()
        let runner = CommandRunner(label)
        deliver(to: Task.detached { await runner.run(command, otherwise: fail) })
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

/// Runs a command on a thread that may block.
private actor CommandRunner {
    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ label: String) { executor = BlockingExecutor(label) }

    func run(
        _ command: @Sendable () async throws -> Void, otherwise fail: @Sendable (any Error) -> Never
    ) async -> Never {
        do {
            try await command()
        } catch let error as CaptureError {
            Console().report(error)
            exit(Interruption.status ?? error.code.exitStatus)
        } catch {
            if let status = Interruption.status { exit(status) }
            fail(error)
        }
        exit(EXIT_SUCCESS)
    }
}
