// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor
import PipelineKit

/// Paints the frames that do not come from a camera: layers over the last frame, blurred, or over black; and the flash.
///
/// The actor has a separate thread, because it computes for some milliseconds, which no other thread can spare.
actor StandInPainter {
    private let executor = BlockingExecutor("gst-capture.preview")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let planner: OverlayPlanner?

    /// Creates a painter.
    ///
    /// - Parameter rasterizer: Draws the layers; without it, frames have no layers.
    init(_ rasterizer: (any Rasterizer)?) { planner = rasterizer.map { OverlayPlanner($0) } }

    /// Paints a frame.
    ///
    /// - Parameters:
    ///   - contents: The layers. A layer that cannot be drawn is left out.
    ///   - last: The frame to blur, whose format the result has; `nil` for a black frame of this size.
    func paint(
        _ contents: OverlayContents, over ground: PreviewScreen.Ground, _ last: Sample?, _ size: PreviewSize
    ) async throws -> Sample {
        // If the background cannot be painted, it is black.
        let plain = try (try? Self.ground(ground, last)) ?? Self.black(size)
        guard let info = plain.caps?.videoInfo, let plan = await plan(contents, info) else { return plain }
        return try Self.drawn(plan, on: plain, info)
    }

    /// Returns a white frame of these caps.
    func flash(_ caps: Caps) throws -> Sample? {
        guard let info = caps.videoInfo else { return nil }
        return Sample(try Self.plain(level: 255, info), caps: caps)
    }

    private func plan(_ contents: OverlayContents, _ info: VideoInfo) async -> OverlayPlan? {
        try? await planner?.plan(contents, at: Int(WallTime.now().seconds), for: info).plan
    }
}

extension Layer {
    /// Returns a text in the center, drawn verbatim: date fields and placeholders in it are not replaced.
    static func standIn(_ text: String) -> Layer {
        var layer = Layer("stand-in", .text(TextTemplate(verbatim: text)))
        layer.placement.position = .center
        layer.placement.size = 0.06
        layer.style.background = Color(red: 0, green: 0, blue: 0, alpha: 0.55)
        return layer
    }
}

// MARK: - Frames

extension StandInPainter {
    /// The longer side of the reduced frame in pixels: only the colors of the scene remain recognizable.
    private static let detail = 48

    /// Returns the frame scaled down and up again.
    private static func blurred(_ sample: Sample) throws -> Sample {
        guard let buffer = sample.buffer, let caps = sample.caps, let info = caps.videoInfo else { return sample }
        let side = max(info.width, info.height)
        let small = try info.resized(
            width: max(2, info.width * detail / side), height: max(2, info.height * detail / side))
        return Sample(try filled(info, with: filled(small, with: buffer, info), small), caps: caps)
    }

    private static func filled(_ info: VideoInfo, with source: Buffer, _ sourceInfo: VideoInfo) throws -> Buffer {
        try FramePool(info).makeFrame { output in
            try source.withVideoFrame(sourceInfo) { try output.fill(with: $0) }
        }
    }

    private static func ground(_ ground: PreviewScreen.Ground, _ last: Sample?) throws -> Sample? {
        guard let last, let caps = last.caps, let info = caps.videoInfo else { return nil }
        switch ground {
        case .blurred: return try blurred(last)
        case .black: return Sample(try plain(level: 0, info), caps: caps)
        }
    }

    private static func black(_ size: PreviewSize) throws -> Sample {
        let info = try VideoInfo(format: "BGRx", width: size.width, height: size.height)
        return Sample(try plain(level: 0, info), caps: info.caps)
    }

    /// Returns a frame of one gray.
    private static func plain(level: UInt8, _ info: VideoInfo) throws -> Buffer {
        let dot = try VideoInfo(format: "BGRx", width: 2, height: 2)
        return try filled(info, with: Buffer([UInt8](repeating: level, count: dot.byteCount)), dot)
    }

    private static func drawn(_ plan: OverlayPlan, on sample: Sample, _ info: VideoInfo) throws -> Sample {
        guard let buffer = sample.buffer, let caps = sample.caps else { return sample }
        let frame = try FramePool(info).makeFrame { output in
            try buffer.withVideoFrame(info) { try output.copy($0) }
            plan.blend(into: &output)
        }
        return Sample(frame, caps: caps)
    }
}
