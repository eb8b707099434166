// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CMosquitto
import Glibc

/// A thread for calls that wait for the network (`pthread_create`).
enum NetworkThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                // OpenSSL writes to connections that the broker has closed.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            // Without a thread there is no connection; the caller must not wait for ever.
            let body = body.takeRetainedValue()
            return body.run()
        }
        pthread_detach(thread)
    }
}

/// Wakes up a thread that waits for a socket (`eventfd(2)`). Any thread may ring.
final class WakeUp: Sendable {
    private let descriptor: Int32

    init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { close(descriptor) }

    /// Ends a wait, or the next one.
    func ring() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits until the alarm rings, or one of the sockets has one of its events (`poll(2)`).
    func wait(for span: Duration, _ sockets: [pollfd] = []) {
        var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)] + sockets
        let (seconds, attoseconds) = span.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        guard poll(&entries, nfds_t(entries.count), Int32(clamping: max(0, milliseconds))) > 0,
            entries[0].revents != 0
        else { return }
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
#endif
