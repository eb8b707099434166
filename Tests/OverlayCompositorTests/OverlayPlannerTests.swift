// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import OverlayRaster
import PipelineKit
import Synchronization
import Testing

@testable import OverlayCompositor

@Suite struct `A planner` {
    private let rasterizer = RecordingRasterizer()
    private let layers = [
        Layer("count", .text(TextTemplate("{count}")), Placement(position: UnitPoint(0, 0))),
        Layer("grid", .grid(.center)),
        Layer("bars", .letterbox(aspect: 3)),
    ]

    private func contents(_ count: Int) -> OverlayContents { OverlayContents(layers, values: ["count": "\(count)"]) }

    private func info(_ width: Int, _ height: Int) throws -> VideoInfo {
        try VideoInfo(format: "I420", width: width, height: height)
    }

    @Test func `The planner rebuilds only the parts that a changed text touches`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let first = try await planner.plan(contents(1), at: 0, for: info(640, 360)).plan
        let second = try await planner.plan(contents(2), at: 0, for: info(640, 360)).plan
        // The bars are at the bottom, then come the text and the cross.
        #expect(first.parts.count == 3)
        #expect(zip(first.parts, second.parts).map { $0 === $1 } == [true, false, true])
        #expect(rasterizer.requests.count == 4)
    }

    @Test func `The planner draws unchanged layers once, and all layers again for another frame size`() async throws {
        let planner = OverlayPlanner(rasterizer)
        for _ in 0..<3 { _ = try await planner.plan(contents(1), at: 0, for: info(640, 360)) }
        #expect(rasterizer.requests.count == 3)
        _ = try await planner.plan(contents(1), at: 0, for: info(320, 180))
        #expect(rasterizer.requests.count == 6)
    }

    @Test func `The planner draws a dim again if only its color or its opacity changes`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let file = try ScratchFile(".svg", `A hostile value`.drawing)
        var frames: [[UInt8]] = []
        for (color, opacity) in [(Color.black, 0.5), (.white, 0.5), (.white, 1.0)] {
            var style = Style()
            (style.color, style.opacity) = (color, opacity)
            let dim = Layer("dim", .dim(outside: Outline(name: "any", path: file.path)), Placement(), style)
            let plan = try await planner.plan(OverlayContents([dim]), at: 0, for: info(64, 48)).plan
            frames.append(try Self.gray(under: plan))
        }
        #expect(Set(frames).count == 3)
    }

    @Test func `The planner does not cache the file of a shape`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let drawing = `A hostile value`.drawing
        let file = try ScratchFile(".svg", drawing)
        var status = stat()
        try #require(stat(file.path, &status) == 0)
        for character in ["2", "3"] {
            try file.rewrite(drawing.replacing("h2", with: "h" + character))
            // With its old modification time, a cached file would count as unchanged.
            try #require(utimensat(AT_FDCWD, file.path, [status.st_atim, status.st_mtim], 0) == 0)
            _ = try await planner.shape(of: Outline(name: "any", path: file.path), Placement(), onFrame: (64, 48))
        }
        #expect(Set(rasterizer.requests).count == 2)
    }

    @Test func `The planner leaves out a layer that it never could draw, and returns its error`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let missing = Layer("ghost", .ghost(path: "/nowhere.jpg"))
        let result = try await planner.plan(OverlayContents(layers + [missing]), at: 0, for: info(640, 360))
        #expect(result.failures.map(\.layer) == ["ghost"])
        #expect(result.failures.first?.error.subject == "/nowhere.jpg")
        #expect(result.plan.touchedBytes > 0)
    }

    @Test func `The planner refuses frames on which it cannot draw`() async throws {
        let planner = OverlayPlanner(rasterizer)
        let info = try VideoInfo(format: "v210", width: 640, height: 360)
        await #expect(throws: OverlayError.self) { try await planner.plan(OverlayContents(), at: 0, for: info) }
    }

    /// The bytes of a gray frame on which a plan was blended.
    private static func gray(under plan: OverlayPlan) throws -> [UInt8] {
        try FramePool(plan.format.info).makeFrame { frame in
            for plane in 0..<frame.planeCount {
                frame.withPlane(plane) { bytes, _ in
                    bytes.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = 128 } }
                }
            }
            plan.blend(into: &frame)
        }.bytes()
    }
}

/// Draws with `CairoRasterizer`, and records the requests.
private final class RecordingRasterizer: Rasterizer {
    private let recorded = Mutex<[RasterRequest]>([])

    var requests: [RasterRequest] { recorded.withLock { $0 } }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        recorded.withLock { $0.append(request) }
        return try await CairoRasterizer().rasterize(request)
    }
}
