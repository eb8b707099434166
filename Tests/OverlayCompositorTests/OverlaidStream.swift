// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import PipelineKit
import Synchronization
import Testing

/// A playing pipeline with an overlay on its element `overlay`, whose frames arrive at `out`.
final class OverlaidStream: Sendable {
    let pipeline: Pipeline
    let overlay: Overlay
    let output: AppSink
    private let files = Mutex<[ScratchFile]>([])

    init(_ description: String, _ rasterizer: any Rasterizer = CairoRasterizer()) async throws {
        overlay = Overlay(rasterizer)
        pipeline = try Pipeline(description)
        output = try AppSink(named: "out", in: pipeline, .keepNewest(1))
        try overlay.attach(to: try #require(try pipeline.element(named: "overlay").pad("src")))
        try await pipeline.play()
    }

    /// Waits for the next drawn event. The first one can belong to the overlay without layers.
    ///
    /// - Returns: The errors before the event, by layer.
    @discardableResult
    func drawn() async -> [String: OverlayError] {
        var failures: [String: OverlayError] = [:]
        for await event in overlay.events {
            switch event {
            case .drawn: return failures
            case .failed(let layer, let error): failures[layer] = error
            }
        }
        return failures
    }

    /// Waits for the error of a layer that cannot be drawn.
    func failure() async -> OverlayError? {
        for await event in overlay.events { if case .failed(_, let error) = event { return error } }
        return nil
    }

    /// Returns the luma of the first frame that `isIt` accepts; `nil` if the stream ends before.
    func luma(where isIt: (Luma) -> Bool) async throws -> Luma? {
        while let sample = try await output.nextSample() {
            let luma = try Luma(sample)
            if isIt(luma) { return luma }
            // Another frame may be here already: without a pause, two such loops would keep both threads of a small
            // machine, and the overlay that they wait for would never be drawn.
            await Task.yield()
        }
        return nil
    }

    /// A layer that is a white rectangle, in fractions of a frame of 4 to 3.
    func whiteRectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double) throws -> Layer {
        let place = #"x="\#(x * 4)" y="\#(y * 3)" width="\#(width * 4)" height="\#(height * 3)""#
        let file = try ScratchFile(
            ".svg",
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect \#(place) fill="currentColor"/></svg>"#)
        files.withLock { $0.append(file) }
        var style = Style()
        style.halo = .pixels(0)
        return Layer("rectangle", .outline(Outline(name: "rectangle", path: file.path)), Placement(), style)
    }

    func stop() async throws { try await pipeline.stop() }
}

/// Draws with `CairoRasterizer`, but not before a test calls ``open()``.
final class GatedRasterizer: Rasterizer {
    private let requested = AsyncStream<Void>.makeStream()
    private let gate = AsyncStream<Void>.makeStream()
    private let pending = Mutex(0)

    /// `true` while a drawing has begun and not ended.
    var isDrawing: Bool { pending.withLock { $0 > 0 } }

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        pending.withLock { $0 += 1 }
        defer { pending.withLock { $0 -= 1 } }
        requested.continuation.yield()
        for await _ in gate.stream {}
        return try await CairoRasterizer().rasterize(request)
    }

    /// Waits until a drawing is requested.
    func waitUntilRequested() async { for await _ in requested.stream { return } }

    /// Allows all drawings.
    func open() { gate.continuation.finish() }
}

/// The first plane of a frame whose bytes are luma.
struct Luma {
    let info: VideoInfo
    private let bytes: [UInt8]
    private let stride: Int

    init(_ sample: Sample) throws {
        info = try #require(sample.caps?.videoInfo)
        let buffer = try #require(sample.buffer)
        let info = info
        (bytes, stride) = try #require(
            try buffer.withVideoFrame(info) { frame in
                frame.withPlane(0) { span, layout in (span.withUnsafeBytes { Array($0) }, layout.stride) }
            })
    }

    subscript(_ x: Int, _ y: Int) -> Int { Int(bytes[y * stride + x]) }
}
