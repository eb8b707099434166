// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Draws layers into pixels, off the streaming thread because drawing takes time.
///
/// Drawings and pictures come from users, and a million lines of C and Rust draw them. `gst-capture` therefore draws in
/// a separate process (``RasterProcess``), which has limits and may crash. A program that trusts its drawings can link
/// OverlayRaster and draw in its own process.
public protocol Rasterizer: Sendable {
    /// Draws a layer.
    ///
    /// - Throws: ``OverlayError`` if the content cannot be read, or takes too much time or memory.
    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage
}
