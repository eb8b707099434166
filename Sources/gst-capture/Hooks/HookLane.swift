// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Runs commands one after the other, each within its time. What goes wrong is told, and ends nothing.
actor HookLane {
    /// What is asked to end by SIGTERM is ended so long after that.
    private static let grace = Duration.seconds(2)

    private let shell = HookShell()
    private let tell: @Sendable (String) async -> Void
    private var queue: HookQueue
    /// What runs now, and the option whose command that is.
    private var running: (process: ChildProcess, name: String)?
    private var work: Task<Void, Never>?
    /// Nothing runs longer than that.
    private var end: ClockTime?
    private var isCancelled = false

    /// Creates a lane.
    ///
    /// - Parameters:
    ///   - capacity: How many commands may wait.
    ///   - tell: Says what went wrong.
    init(capacity: Int, tell: @escaping @Sendable (String) async -> Void) {
        queue = HookQueue(capacity: capacity)
        self.tell = tell
    }

    /// The option whose command runs now.
    var runningName: String? { running?.name }

    /// Runs a command when those before it are done.
    func add(_ job: HookJob?) {
        guard let job, !isCancelled else { return }
        queue.add(job)
        if work == nil { work = Task { await runAll() } }
    }

    /// Waits for what there is to run, so long at most.
    func finish(within limit: Duration) async {
        end = PipelineClock.system.now + limit
        await work?.value
    }

    /// Ends what runs: asked first, then forced; once more forces at once.
    func cancel() {
        queue.clear()
        if let running, !isCancelled {
            Task { await Self.end(running.process) }
        } else {
            running?.process.signal(SIGKILL)
        }
        isCancelled = true
    }

    private func runAll() async {
        while !isCancelled, let job = queue.next() {
            await run(job)
            let count = queue.takeLeftOut()
            if count > 0 { await tell("\(job.hook.option) takes too long: \(Wording.count(count, "run")) left out") }
        }
        work = nil
    }

    private func run(_ job: HookJob) async {
        let now = PipelineClock.system.now
        let time =
            [job.limit, job.deadline.map { $0 - now }, end.map { $0 - now }].compactMap { $0 }.min() ?? job.limit
        guard time > .zero else { return queue.leaveOut(withOthers: end.map { $0 <= now } ?? false) }
        do throws(ChildProcess.NotStarted) {
            let process = try await shell.start(job)
            running = (process, job.hook.option)
            // It was called off while it started.
            if isCancelled { process.signal(SIGKILL) }
            let isLate = await endLate(process, after: time)
            running = nil
            let ending = process.reap()
            guard let message = Self.message(ending, isLate: isLate, time), !isCancelled else { return }
            await tell("\(job.hook.option) \(message)")
        } catch {
            await tell("\(job.hook.option) cannot be started: \(String(cString: strerror(error.code)))")
        }
    }

    /// Waits until the command ends, and ends it where it is late; true where it was.
    private func endLate(_ process: ChildProcess, after time: Duration) async -> Bool {
        let alarm = Task {
            let isOver = (try? await Task.sleep(for: time, tolerance: .zero, clock: .suspending)) != nil
            if isOver { await Self.end(process) }
            return isOver
        }
        await shell.wait(for: process)
        alarm.cancel()
        // Those that the shell started have their time to end, too: until then its number is not given away.
        return await alarm.value
    }

    private static func end(_ process: ChildProcess) async {
        process.signal(SIGTERM)
        // A task of its own: the alarm is cancelled when the shell ends.
        await Task { try? await Task.sleep(for: grace) }.value
        process.signal(SIGKILL)
    }

    private static func message(_ ending: ChildProcess.Ending, isLate: Bool, _ time: Duration) -> String? {
        if isLate { return "was not done after \(Wording.span(time)), and was ended" }
        switch ending {
        case .exited(0), .unknown: return nil
        case .exited(let status): return "ended with status \(status)"
        case .killed(let signal): return "was ended by signal \(signal)"
        }
    }
}
