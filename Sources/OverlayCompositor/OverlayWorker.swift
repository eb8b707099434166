// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// Keeps the plan of a surface up to date with the requested contents, with the frames that flow, and with the clock.
actor OverlayWorker {
    private struct Request {
        var contents = OverlayContents()
        /// Counts changes: numbers are cheaper to compare than contents.
        var number = 0
    }

    private let planner: OverlayPlanner
    private let surface: OverlaySurface
    private let continuation: AsyncStream<OverlayEvent>.Continuation
    private let nextSecond: @Sendable () async throws -> Void
    private let pause: @Sendable (Duration) async throws -> Void

    /// The last requested contents. Any thread changes them at once, so that a plan that is being made can tell whether
    /// its contents are still the requested ones.
    private let requested = Mutex(Request())
    private var isRunning = false
    private var isStale = false
    /// The current failures by layer. Each is emitted once.
    private var emitted: [String: OverlayError] = [:]
    /// Waits for the next second; at most one at a time. ``close()`` waits for it.
    private var clock: Task<Void, Never>?
    /// Waits until layers that failed for a reason that may pass are drawn again; at most one at a time. ``close()``
    /// waits for it.
    private var retry: Task<Void, Never>?
    /// The number of plans in a row with such a layer.
    private var transientFailures = 0
    private var isClosed = false
    /// The number of consecutive seconds in which no frame passed.
    private var idleSeconds = 0

    /// The number of seconds without a frame, as when the camera is lost, after which the clock stops until the next
    /// frame.
    static let mostIdleSeconds = 3

    /// - Parameters:
    ///   - nextSecond: Waits until texts that show the time change.
    ///   - pause: Waits before layers are drawn again.
    init(
        _ planner: OverlayPlanner, _ surface: OverlaySurface, _ continuation: AsyncStream<OverlayEvent>.Continuation,
        nextSecond: @escaping @Sendable () async throws -> Void = OverlayWorker.sleepUntilNextSecond,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.planner = planner
        self.surface = surface
        self.continuation = continuation
        self.nextSecond = nextSecond
        self.pause = pause
    }

    deinit {
        clock?.cancel()
        retry?.cancel()
    }

    /// Stops the clock and the retries; they do not start again. Returns when their tasks have ended.
    func close() async {
        isClosed = true
        let ending = [clock, retry]
        (clock, retry) = (nil, nil)
        for task in ending { task?.cancel() }
        for task in ending { await task?.value }
    }

    /// Changes the requested contents, and wakes the task that calls ``update()``.
    nonisolated func change(_ body: (inout OverlayContents) -> Void) {
        requested.withLock { request in
            body(&request.contents)
            request.number += 1
        }
        surface.wake()
    }

    /// Makes a plan for the requested contents and the current frames. Changes that arrive meanwhile are in the next
    /// plan.
    func update() async {
        idleSeconds = 0
        await replan()
    }

    private func replan() async {
        isStale = true
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while isStale, !Task.isCancelled {
            isStale = false
            await plan()
        }
        watchClock()
    }

    private func plan() async {
        let request = requested.withLock { $0 }
        let obstacle = surface.obstacle.map { [(layer: "", error: OverlayError($0))] }
        guard let frames = surface.frames else {
            if let obstacle { emit(obstacle) }
            return
        }
        do throws(OverlayError) {
            let result = try await planner.plan(
                request.contents, at: Self.systemTime.tv_sec, for: frames.info, crop: frames.crop)
            let isShown = surface.show(result.plan, for: frames)
            emit(result.failures + (obstacle ?? []))
            prepareRetry(after: result.failures.map(\.error))
            if isShown, obstacle == nil, !isStale { emitDrawn(request.number) }
        } catch {
            emit([(layer: "", error: error)])
        }
    }

    /// Emits ``OverlayEvent/drawn`` unless the contents have changed since the request. They cannot change between the
    /// comparison and the event.
    private func emitDrawn(_ number: Int) {
        requested.withLock { request in
            guard request.number == number else { return }
            continuation.yield(.drawn)
        }
    }

    private func emit(_ failures: [(layer: String, error: OverlayError)]) {
        for (layer, error) in failures where emitted[layer] != error {
            continuation.yield(.failed(layer: layer, error))
        }
        emitted = Dictionary(failures.map { ($0.layer, $0.error) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Retries

    /// Draws again after a pause if a layer failed for a reason that may pass: otherwise it would be missing until its
    /// content changes. The pauses grow to half a minute.
    private func prepareRetry(after failures: [OverlayError]) {
        retry?.cancel()
        retry = nil
        guard failures.contains(where: \.isTransient) else {
            transientFailures = 0
            return
        }
        guard !isClosed else { return }
        let span = min(.seconds(30), Duration.seconds(1) * (1 << min(transientFailures, 5)))
        transientFailures += 1
        retry = Task { [weak self, pause] in
            try? await pause(span)
            if !Task.isCancelled { await self?.drawAgain() }
        }
    }

    /// Handles the end of a pause. The task of the pause must not make the plan: the plan cancels it.
    private func drawAgain() {
        retry = nil
        surface.wake()
    }

    // MARK: Clock

    /// Waits for the next second if a text shows the time and frames pass.
    private func watchClock() {
        clock?.cancel()
        clock = nil
        guard !isClosed, requested.withLock({ $0.contents.showsTime }), surface.frames != nil else { return }
        clock = Task { [weak self, nextSecond] in
            try? await nextSecond()
            if !Task.isCancelled { await self?.tick() }
        }
    }

    /// `true` if the worker waits for the next second.
    var isClockRunning: Bool { clock != nil }

    /// Handles the end of a second: makes a plan, or stops the clock if no frame passed for ``mostIdleSeconds``.
    func tick() async {
        idleSeconds = surface.takePassed() ? 0 : idleSeconds + 1
        guard idleSeconds < Self.mostIdleSeconds else {
            clock?.cancel()
            clock = nil
            return surface.park()
        }
        await replan()
    }

    /// Sleeps until the system clock shows the next second.
    static func sleepUntilNextSecond() async throws {
        try await Task.sleep(for: .nanoseconds(1_000_000_000 - systemTime.tv_nsec), tolerance: .milliseconds(5))
    }

    /// The time since 1970. `time(2)` reads a coarser clock, which shows the previous second for some milliseconds
    /// after a second has begun.
    private static var systemTime: timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now
    }
}

extension OverlayError {
    fileprivate init(_ obstacle: OverlaySurface.Obstacle) {
        switch obstacle {
        case .notVideo(let caps):
            self.init(
                .format, "overlays cannot be drawn on \(caps)", advice: "put the overlay behind a decoder")
        case .notMapped(let caps):
            self.init(
                .format, "buffers cannot be mapped as frames of \(caps)",
                advice: "put the overlay behind a converter that writes to system memory, such as videoconvert")
        }
    }
}
