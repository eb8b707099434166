// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

/// The time limit of a test's wait has expired.
package struct NotSeen: Error, CustomStringConvertible {
    package let description: String
}

/// Waits for the result of `body`, but not longer than the limit, so that a test ends by itself if the result does not
/// come, and reports what it has seen. The limit is far above the time that a busy machine needs; it measures nothing.
///
/// - Parameters:
///   - what: What the test waits for, for the message.
///   - seen: What the test has seen so far, for the message.
///   - body: Must return soon after its task is canceled, as the iteration of an `AsyncStream` does.
/// - Throws: ``NotSeen`` after the limit, which is recorded as an issue, too; the error of `body`.
package func awaiting<Success: Sendable>(
    _ what: String, within limit: Duration = .seconds(120),
    seen: @autoclosure @escaping @Sendable () -> String = "nothing",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        if let result = try await group.next() ?? nil { return result }
        try Task.checkCancellation()
        let failure = NotSeen(description: "timed out after \(limit) waiting for \(what); seen: \(seen())")
        Issue.record(failure, sourceLocation: sourceLocation)
        throw failure
    }
}

/// Records an issue with the last events if the current task was canceled, as the time limit of a test does.
package func reportCut(_ events: [String]) {
    guard Task.isCancelled else { return }
    Issue.record("the test was ended; its last events: \(events.suffix(12).joined(separator: "; "))")
}
