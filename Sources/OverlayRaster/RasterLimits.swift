// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// The limits for a request and its result. Larger files are not parsed, larger pictures are not decoded.
public enum RasterLimits {
    /// The longest side of a frame, in pixels.
    public static let frameSide = 16_384
    /// The size of the largest SVG file, in bytes.
    public static let drawingBytes = 4 << 20
    /// The size of the largest PNG or JPEG file, in bytes.
    public static let pictureBytes = 64 << 20
    /// The size of the largest picture, in pixels.
    public static let picturePixels = 50_000_000
    /// The length of the longest text, in bytes of UTF-8.
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
