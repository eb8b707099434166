// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import OverlayCompositor

/// Draws in this process, with cairo, Pango, librsvg and GdkPixbuf.
///
/// Each request is bounded in what it brings and in what it may become, but not in time: draw what strangers made in
/// a `RasterProcess`.
public struct CairoRasteriser: Rasteriser {
    private let queue = DispatchQueue(label: "gst-capture.raster")

    /// Creates one with a thread of its own, on which requests run one after the other.
    public init() {}

    /// Draws a layer, when those asked for before are done.
    public func rasterise(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        let result: Result<RasterImage, OverlayError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(OverlayError) in try Self.draw(request) })
            }
        }
        return try result.get()
    }

    /// Draws on the calling thread, any one.
    ///
    /// - Throws: ``OverlayError`` where the content cannot be read, or is larger than what ``RasterLimits`` allow.
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

extension RasterRequest {
    /// False where nothing can come of it; all numbers of what is visible are finite.
    fileprivate var isVisible: Bool {
        let places = [pointX, pointY, anchor.x, anchor.y, extentWidth, extentHeight, opacity]
        return places.allSatisfy(\.isFinite) && width > 0 && height > 0 && extentWidth > 0 && extentHeight > 0
            && opacity > 0
    }
}
