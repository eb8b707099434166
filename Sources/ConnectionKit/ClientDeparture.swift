// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore

/// The event with which a request asks for the departure of its client.
struct DepartureWait: Sendable {
    /// Finished when the client has closed its side or the connection, or when the response has ended.
    let departure: AsyncStream<Void>.Continuation
}

extension Channel {
    /// Performs work for the current request, which is canceled when the client has closed its side of the connection.
    ///
    /// - Returns: `nil` if the client has left before the work ended.
    package func whileClientStays<Value: Sendable>(
        _ work: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value? {
        let (departure, continuation) = AsyncStream<Void>.makeStream()
        let sent = eventLoop.makePromise(of: Void.self)
        // A closed connection has no handler for the event.
        sent.futureResult.whenFailure { _ in continuation.finish() }
        triggerUserOutboundEvent(DepartureWait(departure: continuation), promise: sent)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in departure {}
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
#endif
