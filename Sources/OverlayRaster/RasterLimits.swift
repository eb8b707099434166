// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a request may bring, and what may come of it: beyond that, nothing is read or decoded.
public enum RasterLimits {
    /// Of a frame, in pixels.
    public static let frameSide = 16_384
    /// Of an SVG file.
    public static let drawingBytes = 4 << 20
    /// Of a PNG or JPEG file.
    public static let pictureBytes = 64 << 20
    /// Of a decoded picture: a larger one is not decoded.
    public static let picturePixels = 50_000_000
    /// Of a text in UTF-8.
    public static let textBytes = 16 << 10

    static func check(_ request: RasterRequest) throws(OverlayError) {
        guard max(request.width, request.height) <= frameSide else {
            throw OverlayError(
                .tooMuch,
                "a frame of \(request.width) x \(request.height) is larger than \(frameSide) pixels on a side")
        }
        switch request.content {
        case .drawing(let svg, _): try check(svg.count, of: "a drawing", limit: drawingBytes)
        case .picture(let bytes, _): try check(bytes.count, of: "a picture", limit: pictureBytes)
        case .text(let text, _): try check(text.utf8.count, of: "a text", limit: textBytes)
        }
    }

    private static func check(_ bytes: Int, of what: String, limit: Int) throws(OverlayError) {
        guard bytes > limit else { return }
        throw OverlayError(.tooMuch, "\(what) of \(bytes) bytes is larger than \(limit)")
    }
}
