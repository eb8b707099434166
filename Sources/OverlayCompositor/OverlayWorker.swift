// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Keeps the plan of a surface up to date with its contents, with the frames that flow, and with the clock.
actor OverlayWorker {
    private let planner: OverlayPlanner
    private let surface: OverlaySurface
    private let continuation: AsyncStream<OverlayEvent>.Continuation
    private let nextSecond: @Sendable () async throws -> Void

    private var contents = OverlayContents()
    private var isRunning = false
    private var isStale = false
    /// The current failures by layer. Each is emitted once.
    private var emitted: [String: OverlayError] = [:]
    private var clock: Task<Void, Never>?
    /// The number of consecutive seconds in which no frame passed.
    private var idleSeconds = 0

    /// The number of seconds without a frame, as when the camera is lost, after which the clock stops until the next
    /// frame.
    static let mostIdleSeconds = 3

    /// - Parameter nextSecond: Waits until texts that show the time change.
    init(
        _ planner: OverlayPlanner, _ surface: OverlaySurface, _ continuation: AsyncStream<OverlayEvent>.Continuation,
        nextSecond: @escaping @Sendable () async throws -> Void = OverlayWorker.sleepUntilNextSecond
    ) {
        self.planner = planner
        self.surface = surface
        self.continuation = continuation
        self.nextSecond = nextSecond
    }

    deinit { clock?.cancel() }

    /// Replaces the contents.
    func show(_ contents: OverlayContents) async {
        self.contents = contents
        await update()
    }

    /// Makes a plan for the current contents and frames. Changes that arrive meanwhile are in the next plan.
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
        let obstacle = surface.obstacle.map { [(layer: "", error: OverlayError($0))] }
        guard let frames = surface.frames else {
            if let obstacle { emit(obstacle) }
            return
        }
        do throws(OverlayError) {
            let result = try await planner.plan(
                contents, at: time(nil), for: frames.info, crop: frames.crop)
            surface.show(result.plan, for: frames)
            emit(result.failures + (obstacle ?? []))
            if obstacle == nil, !isStale { continuation.yield(.drawn) }
        } catch {
            emit([(layer: "", error: error)])
        }
    }

    private func emit(_ failures: [(layer: String, error: OverlayError)]) {
        for (layer, error) in failures where emitted[layer] != error {
            continuation.yield(.failed(layer: layer, error))
        }
        emitted = Dictionary(failures.map { ($0.layer, $0.error) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Clock

    /// Waits for the next second if a text shows the time and frames pass.
    private func watchClock() {
        clock?.cancel()
        clock = nil
        guard contents.showsTime, surface.frames != nil else { return }
        clock = Task { [weak self, nextSecond] in
            try? await nextSecond()
            if !Task.isCancelled { await self?.tick() }
        }
    }

    /// True if the worker waits for the next second.
    var isClockRunning: Bool { clock != nil }

    /// Handles the end of a second: makes a plan, or stops the clock if no frames pass.
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
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        try await Task.sleep(for: .nanoseconds(1_000_000_000 - now.tv_nsec), tolerance: .milliseconds(5))
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
