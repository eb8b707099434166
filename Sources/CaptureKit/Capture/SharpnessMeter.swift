// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Measures how sharp frames are; JPEG frames are decoded for it.
///
/// An actor on a thread of its own: it computes for a while, which the others have not to spare.
actor SharpnessMeter {
    private let executor = BlockingExecutor("gst-capture.sharpness")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let decoder = StillEncoder(format: .raw, quality: 100, orientation: .upright)
    /// The decoder takes one frame at a time; while it has one, others can be asked for.
    private var decoding = TaskChain()

    /// The variance of the Laplacian; 0 of what cannot be measured.
    func sharpness(of sample: Sample) async -> Double {
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
