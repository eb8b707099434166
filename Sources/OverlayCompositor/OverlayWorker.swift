// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Keeps the plan of a surface up to date: with its contents, with the frames that flow, and with the clock.
actor OverlayWorker {
    private let planner: OverlayPlanner
    private let surface: OverlaySurface
    private let announce: AsyncStream<OverlayEvent>.Continuation

    private var contents = OverlayContents()
    private var isRunning = false
    private var isStale = false
    /// What was told of each layer: once is enough.
    private var told: [String: OverlayError] = [:]
    private var clock: Task<Void, Never>?

    init(
        _ planner: OverlayPlanner, _ surface: OverlaySurface, _ announce: AsyncStream<OverlayEvent>.Continuation
    ) {
        self.planner = planner
        self.surface = surface
        self.announce = announce
    }

    deinit { clock?.cancel() }

    /// Takes other contents over.
    func show(_ contents: OverlayContents) async {
        self.contents = contents
        await update()
    }

    /// Makes a plan of what is to be seen now. What changes meanwhile is in the next.
    func update() async {
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
        guard let frames = surface.frames else { return }
        do throws(OverlayError) {
            let result = try await planner.plan(
                contents, at: time(nil), for: frames.info, crop: frames.crop)
            surface.show(result.plan, for: frames)
            tell(result.failures)
        } catch {
            tell([("", error)])
        }
        if !isStale { announce.yield(.drawn) }
    }

    private func tell(_ failures: [(layer: String, error: OverlayError)]) {
        for (layer, error) in failures where told[layer] != error { announce.yield(.failed(layer: layer, error)) }
        told = Dictionary(failures.map { ($0.layer, $0.error) }, uniquingKeysWith: { first, _ in first })
    }

    /// Texts that show the time change with the second.
    private func watchClock() {
        clock?.cancel()
        guard contents.showsTime, surface.frames != nil else { return }
        clock = Task { [weak self] in
            try? await Task.sleep(for: Self.untilNextSecond, tolerance: .milliseconds(5))
            if !Task.isCancelled { await self?.update() }
        }
    }

    private static var untilNextSecond: Duration {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return .nanoseconds(1_000_000_000 - now.tv_nsec)
    }
}
