// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Draws in this process, with cairo, Pango, librsvg and GdkPixbuf.
///
/// The size of each request and of its result is limited, but not the time. Draw untrusted drawings in a
/// `RasterProcess`.
public struct CairoRasterizer: Rasterizer {
    private let worker = CairoWorker()

    /// Creates a rasterizer with a separate Dispatch queue, on which requests run one after the other.
    public init() {}

    /// Draws a layer after all earlier requests.
    ///
    /// - Throws: The errors of ``draw(_:)``.
    public func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        try await worker.draw(request)
    }

    /// Draws a layer on the calling thread, which may be any thread.
    ///
    /// - Throws: `OverlayError` if the content cannot be read, or exceeds ``RasterLimits``.
    public static func draw(_ request: RasterRequest) throws(OverlayError) -> RasterImage {
        try RasterLimits.check(request)
        guard request.isVisible else { return .empty }
        return switch request.content {
        case .drawing(let svg, let style): try Drawing(svg).draw(style, request)
        case .text(let text, let style): try TextBlock(text, style).draw(request)
        case .picture(let bytes, let tint): try Picture(bytes).draw(tint: tint, request)
        }
    }
}

/// Draws on a separate Dispatch queue, because a drawing can take long.
private actor CairoWorker {
    private let executor = BlockingExecutor("gst-capture.raster")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func draw(_ request: RasterRequest) throws(OverlayError) -> RasterImage { try CairoRasterizer.draw(request) }
}

extension RasterRequest {
    /// `false` if drawing would show nothing. The place, the size and the opacity of a visible request are finite.
    fileprivate var isVisible: Bool {
        let places = [pointX, pointY, anchor.x, anchor.y, extentWidth, extentHeight, opacity]
        return places.allSatisfy(\.isFinite) && width > 0 && height > 0 && extentWidth > 0 && extentHeight > 0
            && opacity > 0
    }
}
