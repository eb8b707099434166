// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Commands that wait for their turn: so many at most, else the oldest are left out, and counted.
struct HookQueue: Sendable {
    private let capacity: Int
    private var jobs: [HookJob] = []
    private var leftOut = 0

    /// A queue of at most so many.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds a command to the end.
    mutating func add(_ job: HookJob) {
        if jobs.count == capacity {
            jobs.removeFirst()
            leftOut += 1
        }
        jobs.append(job)
    }

    /// Takes the one whose turn it is.
    mutating func next() -> HookJob? { jobs.isEmpty ? nil : jobs.removeFirst() }

    /// Counts one that was taken, and came too late to be run; and maybe all that wait.
    mutating func leaveOut(withOthers: Bool = false) {
        leftOut += 1
        if withOthers { clear() }
    }

    /// Leaves out all that wait.
    mutating func clear() {
        leftOut += jobs.count
        jobs = []
    }

    /// How many were left out since this was asked before.
    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
