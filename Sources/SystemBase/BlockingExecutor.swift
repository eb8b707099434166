// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch

/// A serial executor on a Dispatch queue, for an actor whose work can block: in files, devices or drivers. A job that
/// blocks keeps a thread of Dispatch, and none of Swift's cooperative pool.
package final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(_ label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
