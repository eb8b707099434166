// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Paints the frame that is shown while none comes: the last one, blurred, and what is wrong in words over it.
///
/// An actor on a thread of its own: it computes for some milliseconds, which no other thread has to spare.
actor StandInPainter {
    private let executor = BlockingExecutor("gst-capture.preview")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let planner: OverlayPlanner?

    /// - Parameter rasteriser: What draws the words; without one there are none.
    init(_ rasteriser: (any Rasteriser)?) { planner = rasteriser.map { OverlayPlanner($0) } }

    /// Paints one.
    ///
    /// - Parameters:
    ///   - text: What is wrong, or why nothing comes.
    ///   - last: The frame to blur; `nil` for black of this size.
    func paint(_ text: String, over last: Sample?, _ size: PreviewSize) async throws -> Sample {
        let plain = try last.map(Self.blurred) ?? Self.black(size)
        guard let info = plain.caps?.videoInfo, let plan = await plan(text, info) else { return plain }
        return try Self.drawn(plan, on: plain, info)
    }

    /// What cannot be drawn is left out: the frame says by its blur that something is wrong.
    private func plan(_ text: String, _ info: VideoInfo) async -> OverlayPlan? {
        try? await planner?.plan(OverlayContents([Self.layer(text)]), at: 0, for: info).plan
    }

    /// The words are shown as they are: what looks like a letter of the time is none.
    private static func layer(_ text: String) -> Layer {
        let literal = text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
        var layer = Layer("stand-in", .text(TextTemplate(literal)))
        layer.placement.position = .center
        layer.placement.size = 0.06
        layer.style.background = Color(red: 0, green: 0, blue: 0, alpha: 0.55)
        return layer
    }
}

// MARK: - Frames

extension StandInPainter {
    /// So many pixels are left of the longer side: what was in front of the camera is known by its colours alone.
    private static let detail = 48

    /// The frame made small, and large again.
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

    private static func black(_ size: PreviewSize) throws -> Sample {
        let info = try VideoInfo(format: "BGRx", width: size.width, height: size.height)
        let frame = try FramePool(info).makeFrame { frame in
            _ = frame.withPlane(0) { bytes, _ in
                bytes.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) }
            }
        }
        return Sample(frame, caps: info.caps)
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
