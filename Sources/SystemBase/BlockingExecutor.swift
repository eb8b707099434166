// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch

/// A serial executor with its own thread, for an actor whose work can block: files, devices, drivers. Swift's
/// cooperative pool never blocks.
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
