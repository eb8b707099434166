// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit
import Synchronization

/// Sends requests to the process that draws, and waits for its answers. The actor has a separate Dispatch queue,
/// because its calls block.
actor RasterWorker {
    private let executor = BlockingExecutor("gst-capture.raster-process")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let executable: String
    private let limit: Duration
    private let now: @Sendable () -> SuspendingClock.Instant
    private let child = Mutex<RasterChild?>(nil)

    /// - Parameter now: Reads the clock for the wall time of a request.
    init(
        _ executable: String, limit: Duration, now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
    ) {
        self.executable = executable
        self.limit = limit
        self.now = now
    }

    /// The ID of the running process; `nil` if none runs.
    nonisolated var processIdentifier: Int32? { child.withLock { $0?.identifier } }

    /// Draws a layer, unless the task was canceled before. Starts a process if none can draw.
    func draw(_ request: RasterRequest) throws(OverlayError) -> RasterImage {
        guard !Task.isCancelled else { throw OverlayError(.rasterizer, "drawing was canceled") }
        let child = try runningChild()
        let answer: RasterAnswer
        do throws(RasterChannel.Failure) {
            answer = try ask(child, request)
        } catch {
            forget()
            throw OverlayError(error, child.end(), limit: limit, executable)
        }
        return try answer.result.get()
    }

    /// Ends the process, if there is one.
    func end() { _ = forget()?.end() }

    private func ask(
        _ child: RasterChild, _ request: RasterRequest
    ) throws(RasterChannel.Failure) -> RasterAnswer {
        let deadline = RasterDeadline(limit, usedProcessorTime: { child.processorTime }, now: now)
        try child.channel.send(request.wire, by: deadline)
        let answer = try child.channel.receive(by: deadline)
        guard let answer = try? RasterAnswer(wire: answer, to: request) else { throw .foreign }
        return answer
    }

    // A process that died while idle is replaced without an error.
    private func runningChild() throws(OverlayError) -> RasterChild {
        if let child = child.withLock({ $0 }) {
            if !child.channel.isStale { return child }
            end()
        }
        let started = try RasterChild(executable)
        child.withLock { $0 = started }
        return started
    }

    @discardableResult
    private func forget() -> RasterChild? {
        child.withLock { child in
            defer { child = nil }
            return child
        }
    }
}

extension OverlayError {
    /// Describes why the process did not answer.
    fileprivate init(
        _ failure: RasterChannel.Failure, _ ending: ChildProcess.Ending, limit: Duration, _ executable: String
    ) {
        switch (failure, ending) {
        case (.late(.processorTime), _):
            self.init(.tooMuch, "takes longer than \(limit) to draw", advice: "make it simpler or smaller")
        case (.late(.wallTime), _):
            self.init(notDrawnWithin: RasterDeadline.wallTime(for: limit))
        case (.closed, .killed(SIGALRM)):
            // The process ends itself by alarm(2), in case this process does not end it in time.
            self.init(notDrawnWithin: RasterDeadline.mostWallTime)
        case (.foreign, _):
            self.init(
                .rasterizer, "does not speak the protocol of this gst-capture", subject: executable,
                advice: "install the gst-capture-raster of the same release")
        case (.closed, .killed(let signal)):
            // The kernel sends SIGKILL if the machine has no memory left.
            self.init(
                .tooMuch, "drawing it ended gst-capture-raster with signal \(signal)",
                advice: "make it simpler or smaller", isTransient: signal == SIGKILL)
        case (.closed, .exited(RasterChannel.unconfinedStatus)):
            self.init(
                .rasterizer, "cannot confine itself, and refuses to draw", subject: executable,
                advice: "use a kernel with CONFIG_SECCOMP_FILTER, and a container that allows seccomp(2)")
        case (.closed, .exited(let status)):
            self.init(.rasterizer, "ended with status \(status) instead of drawing", subject: executable)
        case (.closed, .unknown):
            self.init(.rasterizer, "ended instead of drawing", subject: executable)
        }
    }

    private init(notDrawnWithin wallTime: Duration) {
        self.init(
            .tooMuch, "was not drawn within \(wallTime)",
            advice: "the machine may be too busy: close other programs, or make it simpler or smaller",
            isTransient: true)
    }
}
