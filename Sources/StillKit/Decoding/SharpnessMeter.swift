// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import PipelineKit

/// Measures the sharpness of frames. It decodes JPEG frames first.
///
/// An actor with its own thread: the computation takes longer than other threads can spare.
package actor SharpnessMeter {
    private let executor = BlockingExecutor("gst-capture.sharpness")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let decoder = StillEncoder(format: .raw, quality: 100, orientation: .upright)
    /// Queues JPEG frames: the decoder takes one at a time, and other calls may come meanwhile.
    private var decoding = TaskChain()

    package init() {}

    /// Returns the variance of the Laplacian; 0 if the frame cannot be measured.
    package func sharpness(of sample: Sample) async -> Double {
        if let sharpness = Self.measure(sample) { return sharpness }
        return await withCheckedContinuation { continuation in
            decoding.add { [self] in continuation.resume(returning: await decodedSharpness(of: sample)) }
        }
    }

    private func decodedSharpness(of sample: Sample) async -> Double {
        guard let decoded = try? await decoder.convert(sample) else { return 0 }
        return Self.measure(decoded) ?? 0
    }

    private static func measure(_ sample: Sample) -> Double? {
        guard let buffer = sample.buffer, let info = sample.caps?.videoInfo else { return nil }
        return PictureMeasure(buffer, info)?.sharpness
    }
}
