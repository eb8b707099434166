// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayRaster
import PipelineKit
import Synchronization
import Testing

@testable import OverlayCompositor

@Suite struct `A planner` {
    private let rasterizer = CountingRasterizer()
    private let layers = [
        Layer("count", .text(TextTemplate("{count}")), Placement(position: UnitPoint(0, 0))),
        Layer("grid", .grid(.center)),
        Layer("bars", .letterbox(aspect: 3)),
    ]

    private func contents(_ count: Int) -> OverlayContents { OverlayContents(layers, values: ["count": "\(count)"]) }

    private func info(_ width: Int, _ height: Int) throws -> VideoInfo {
        try VideoInfo(format: "I420", width: width, height: height)
    }

    @Test func `makes anew just what a text that changes has touched`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let first = try await planner.plan(contents(1), at: 0, for: info(640, 360)).plan
        let second = try await planner.plan(contents(2), at: 0, for: info(640, 360)).plan
        // The bars are at the bottom, then come the text and the cross.
        #expect(first.parts.count == 3)
        #expect(zip(first.parts, second.parts).map { $0 === $1 } == [true, false, true])
        #expect(rasterizer.count == 4)
    }

    @Test func `draws nothing twice where nothing has changed, and all where the frames have`() async throws {
        let planner = OverlayPlanner(rasterizer)
        for _ in 0..<3 { _ = try await planner.plan(contents(1), at: 0, for: info(640, 360)) }
        #expect(rasterizer.count == 3)
        _ = try await planner.plan(contents(1), at: 0, for: info(320, 180))
        #expect(rasterizer.count == 6)
    }

    @Test func `leaves a layer out that it could never draw, and says why`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let missing = Layer("ghost", .ghost(path: "/nowhere.jpg"))
        let result = try await planner.plan(OverlayContents(layers + [missing]), at: 0, for: info(640, 360))
        #expect(result.failures.map(\.layer) == ["ghost"])
        #expect(result.failures.first?.error.subject == "/nowhere.jpg")
        #expect(result.plan.touchedBytes > 0)
    }

    @Test func `refuses frames that cannot be drawn on`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let info = try VideoInfo(format: "v210", width: 640, height: 360)
        await #expect(throws: OverlayError.self) { try await planner.plan(OverlayContents(), at: 0, for: info) }
    }
}

/// Draws like the real one, and counts the drawings.
private final class CountingRasterizer: Rasterizer {
    private let drawings = Mutex(0)

    var count: Int { drawings.withLock { $0 } }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        drawings.withLock { $0 += 1 }
        return try await CairoRasterizer().rasterize(request)
    }
}
