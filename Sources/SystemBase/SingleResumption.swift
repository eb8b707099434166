// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// A continuation that several callers may resume, such as a call and its timeout: only the first has an effect. One of
/// them must resume it.
package final class SingleResumption<Success: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Success, Never>?>

    package init(_ continuation: CheckedContinuation<Success, Never>) { self.continuation = Mutex(continuation) }

    package func resume(_ result: Success) {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }?.resume(returning: result)
    }
}
