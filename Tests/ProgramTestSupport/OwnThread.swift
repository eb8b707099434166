// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Testing

/// Runs each test of a suite on separate threads. Tests that wait for a program block their thread: on Swift's pool,
/// which has a thread for each processor, two of them would stop all other tests.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// Runs each test of a suite on separate threads.
    package static var ownThread: Self { Self() }
}

/// Runs each job on a separate thread, which Dispatch keeps for later jobs.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        DispatchQueue(label: "gst-capture.test").async { job.runSynchronously(on: executor) }
    }
}
