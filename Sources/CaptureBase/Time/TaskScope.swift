// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The tasks of an owner that runs once: children of ``run()``, which returns when all of them have ended.
package struct TaskScope: Sendable {
    package typealias Job = @Sendable () async -> Void

    private let jobs: AsyncStream<Job>
    private let inlet: AsyncStream<Job>.Continuation

    package init() { (jobs, inlet) = AsyncStream.makeStream() }

    /// Adds a task. It starts when ``run()`` is called, or at once if that has happened. A task that is added after
    /// ``end()`` never starts.
    package func add(_ job: @escaping Job) { inlet.yield(job) }

    /// Cancels the tasks. ``run()`` returns when they have ended.
    package func end() { inlet.finish() }

    /// Runs the tasks until ``end()``, or until its own task is canceled. Call it once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { await job() } }
            group.cancelAll()
        }
    }
}
