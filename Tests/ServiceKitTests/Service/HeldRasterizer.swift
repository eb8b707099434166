// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

@testable import ServiceKit

/// Draws nothing, and returns after ``release()``: until then, pictures with layers cannot be stored, as on a disk that
/// hangs.
struct HeldRasterizer: Rasterizer {
    private let requests = AsyncStream<Void>.makeStream()
    private let released = Completion()

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        requests.continuation.yield()
        await released.wait()
        return .empty
    }

    /// Waits until a picture is being stored.
    func waitForPicture() async { for await _ in requests.stream { return } }

    /// Has all pictures stored.
    func release() { released.complete() }
}
