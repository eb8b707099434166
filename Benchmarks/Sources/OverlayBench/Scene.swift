// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import PipelineKit

/// The drawing of all contestants: three outlines, in white lines of 6 pixels at 1080p.
struct Scene {
    static let outlines = ["face", "body-front", "card"]
    static let stroke = 6.0 / 1080

    /// The folder of the outlines.
    let folder: String

    var layers: [Layer] {
        Self.outlines.map { Layer($0, .outline(Outline(name: $0, path: path($0))), Placement(), Self.style) }
    }

    func path(_ outline: String) -> String { "\(folder)/\(outline).svg" }

    static var style: Style {
        var style = Style()
        style.color = .white
        style.stroke = .fraction(stroke)
        style.halo = .pixels(0)
        return style
    }

    /// The plan of layers for frames.
    static func plan(_ layers: [Layer], _ kind: FrameKind) async throws -> OverlayPlan {
        let planner = OverlayPlanner(CairoRasterizer())
        let result = try await planner.plan(OverlayContents(layers), at: 0, for: kind.info())
        if let failure = result.failures.first { throw failure.error }
        return result.plan
    }
}
