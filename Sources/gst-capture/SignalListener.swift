// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// Delivers signals as an async sequence, none lost from the moment they are held back.
///
/// One thread of its own waits for them (`sigwait`). No handler runs, so nothing is interrupted, and a signal that
/// arrives while the program still starts waits for its turn instead of ending it.
enum SignalListener {
    /// The signals that a capture understands.
    static let handled = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH]

    /// Holds signals back until somebody listens; threads that are created later inherit this, so it comes first.
    static func hold() {
        var set = signalSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader that goes away is an error to be told, not the end.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The numbers of signals as they arrive, from now to the end of the process; for one caller.
    ///
    /// - Throws: ``CaptureError`` where the process may have no more threads.
    static func listen() throws(CaptureError) -> AsyncStream<Int32> {
        hold()
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        let box = Unmanaged.passRetained(Box(continuation))
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, waitForSignals, box.toOpaque())
        guard failure == 0 else {
            box.release()
            throw CaptureError(.temporary, "signals cannot be received: \(String(cString: strerror(failure)))")
        }
        pthread_detach(thread)
        return signals
    }

    private static let waitForSignals: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { box in
        guard let box else { return nil }
        let continuation = Unmanaged<Box>.fromOpaque(box).takeRetainedValue().continuation
        var set = signalSet
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0 else { continue }
            if case .terminated = continuation.yield(number) { return nil }
        }
    }

    private final class Box: Sendable {
        let continuation: AsyncStream<Int32>.Continuation

        init(_ continuation: AsyncStream<Int32>.Continuation) { self.continuation = continuation }
    }

    private static var signalSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in handled where !(number == SIGHUP && isIgnored(SIGHUP)) { sigaddset(&set, number) }
        return set
    }

    // nohup(1) says that the end of the terminal is none of our business.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
