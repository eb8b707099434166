// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster

/// The time until a plan is ready, in milliseconds of the wall clock; frames do not wait for it.
struct Planning {
    /// Three outlines, without earlier drawings.
    let first: Timing
    /// The next second of a clock beside them.
    let clock: Timing

    /// Both, with their names.
    var steps: [(name: String, timing: Timing)] { [("the first", first), ("a clock's next second", clock)] }

    static func measure(_ scene: Scene, _ kind: FrameKind, rounds: Int) async throws -> Planning {
        var (first, clock): ([Double], [Double]) = ([], [])
        let time = Layer("clock", .text(TextTemplate("%H:%M:%S")), Placement(position: UnitPoint(0, 0)))
        for round in 0..<rounds {
            first.append(try await milliseconds { _ = try await Scene.plan(scene.layers, kind) })
            let planner = OverlayPlanner(CairoRasterizer())
            let (contents, info) = (OverlayContents(scene.layers + [time]), try kind.info())
            _ = try await planner.plan(contents, at: round, for: info)
            clock.append(try await milliseconds { _ = try await planner.plan(contents, at: round + 1, for: info) })
        }
        return Planning(first: Timing(first), clock: Timing(clock))
    }

    private static func milliseconds(_ body: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        return (clock.now - start) / .milliseconds(1)
    }
}
