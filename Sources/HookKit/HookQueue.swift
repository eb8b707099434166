// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A queue of commands with a limited capacity. When it is full, it drops the oldest command and counts it.
struct HookQueue: Sendable {
    private let capacity: Int
    private var jobs: [HookJob] = []
    private var leftOut = 0

    /// Creates a queue for at most `capacity` commands.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds a command to the end.
    mutating func add(_ job: HookJob) {
        if jobs.count == capacity {
            jobs.removeFirst()
            leftOut += 1
        }
        jobs.append(job)
    }

    /// Removes and returns the first command; `nil` if there is none.
    mutating func next() -> HookJob? { jobs.isEmpty ? nil : jobs.removeFirst() }

    /// Counts a command that was removed from the queue too late to run.
    ///
    /// - Parameter withOthers: `true` to drop all waiting commands too.
    mutating func leaveOut(withOthers: Bool = false) {
        leftOut += 1
        if withOthers { clear() }
    }

    /// Drops all waiting commands.
    mutating func clear() {
        leftOut += jobs.count
        jobs = []
    }

    /// Returns the number of commands dropped since the last call.
    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
