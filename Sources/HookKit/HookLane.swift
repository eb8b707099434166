// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit
import TerminalKit

/// Runs commands one after the other, each with a time limit. It reports a command that fails, and continues.
actor HookLane {
    /// The time between SIGTERM and SIGKILL.
    private static let grace = Duration.seconds(2)

    private let shell = HookShell()
    private let report: @Sendable (Notice) async -> Void
    private var queue: HookQueue
    /// The running command, and the option that set it.
    private var running: (process: ChildProcess, name: String)?
    private var work: Task<Void, Never>?
    /// Ends the running command after ``cancel()``; ends with the command.
    private var killing: Task<Void, Never>?
    /// The moment at which commands that start after ``finish(within:)`` are ended; `nil` before that call.
    private var end: ClockTime?
    private var isCancelled = false

    /// Creates a lane.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of waiting commands.
    ///   - report: Reports a command that failed.
    init(capacity: Int, report: @escaping @Sendable (Notice) async -> Void) {
        queue = HookQueue(capacity: capacity)
        self.report = report
    }

    /// The option whose command is running; `nil` if none is.
    var runningName: String? { running?.name }

    /// Queues a command.
    func add(_ job: HookJob?) {
        guard let job, !isCancelled else { return }
        queue.add(job)
        if work == nil { work = Task { await runAll() } }
    }

    /// Waits for all commands. Those that start from now on are ended after `limit`; the running one keeps its own.
    func finish(within limit: Duration) async {
        end = PipelineClock.system.now + limit
        await work?.value
    }

    /// Clears the queue and ends the running command with all its processes: the first call sends SIGTERM, and SIGKILL
    /// when the shell has ended or a grace period is over; a second call sends SIGKILL at once.
    func cancel() {
        queue.clear()
        if let running {
            // Before this returns: the caller may end this process next.
            running.process.signal(isCancelled ? SIGKILL : SIGTERM)
            if !isCancelled { killing = Task { await Self.killAfterGrace(running.process) } }
        }
        isCancelled = true
    }

    private func runAll() async {
        while !isCancelled, let job = queue.next() {
            await run(job)
            let count = queue.takeLeftOut()
            if count > 0 { await reportFailure(of: job.hook, "takes too long: \(Wording.count(count, "run")) dropped") }
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
            // `cancel()` was called while the command started.
            if isCancelled { process.signal(SIGKILL) }
            let isLate = await endLate(process, after: time)
            // Processes that the shell started can ignore SIGTERM. After `reap()` no signal reaches them.
            if isCancelled { process.signal(SIGKILL) }
            killing?.cancel()
            await killing?.value
            running = nil
            let ending = process.reap()
            guard let message = Self.message(ending, isLate: isLate, time), !isCancelled else { return }
            await reportFailure(of: job.hook, message)
        } catch {
            await reportFailure(of: job.hook, "cannot be started: \(String(cString: strerror(error.code)))")
        }
    }

    private func reportFailure(of hook: Hook, _ message: String) async {
        await report(Notice(.hookFailed, about: hook.option, "\(hook.option) \(message)"))
    }

    /// Waits until the command ends, and ends it after `time`.
    ///
    /// - Returns: `true` if the command was ended because it took too long.
    private func endLate(_ process: ChildProcess, after time: Duration) async -> Bool {
        let alarm = Task {
            let isOver = (try? await Task.sleep(for: time, tolerance: .zero, clock: .suspending)) != nil
            if isOver { await Self.end(process) }
            return isOver
        }
        await shell.wait(for: process)
        alarm.cancel()
        // Processes that the shell started get the grace period too. The shell is reaped after it, so that its id is
        // not reused before.
        return await alarm.value
    }

    private static func end(_ process: ChildProcess) async {
        process.signal(SIGTERM)
        // A separate task, because the alarm is canceled when the shell ends.
        await Task { await killAfterGrace(process) }.value
    }

    private static func killAfterGrace(_ process: ChildProcess) async {
        if (try? await Task.sleep(for: grace)) != nil { process.signal(SIGKILL) }
    }

    private static func message(_ ending: ChildProcess.Ending, isLate: Bool, _ time: Duration) -> String? {
        if isLate { return "timed out after \(Wording.span(time)), and was ended" }
        switch ending {
        case .exited(0), .unknown: return nil
        case .exited(let status): return "ended with status \(status)"
        case .killed(let signal): return "was ended by signal \(signal)"
        }
    }
}
