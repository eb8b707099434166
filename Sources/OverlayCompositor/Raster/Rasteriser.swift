// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Draws layers into pixels; off the streaming thread, as it takes its time.
///
/// Drawings and pictures come from users, and what draws them is a million lines of C and Rust: the command draws in a
/// process of its own (``RasterProcess``), which is bounded and can die. A program that trusts its drawings can link
/// OverlayRaster and draw in place.
public protocol Rasteriser: Sendable {
    /// Draws a layer.
    ///
    /// - Throws: ``OverlayError`` where the content cannot be read, or takes too long or too much memory.
    func rasterise(_ request: RasterRequest) async throws(OverlayError) -> RasterImage
}
