// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The conversion of sRGB colors to the code values of a format: its matrix and its range.
struct ColorCoding: Sendable, Hashable {
    private let red: Double
    private let blue: Double
    private let isFullRange: Bool

    /// Creates the coding of a format. GStreamer has filled in values that the caps leave open. RGB frames have no
    /// matrix.
    init(_ info: VideoInfo) {
        (red, blue) = info.lumaCoefficients ?? (0.299, 0.114)
        isFullRange = info.isFullRange
    }

    /// Returns the weights of a component: `dot((red, green, blue, alpha), weights)` is its code value times alpha.
    /// Red, green and blue are premultiplied in 0...255; alpha is in 0...1.
    func weights(of component: PlanePattern.Component) -> SIMD4<Float> {
        let (foot, span) = isFullRange ? (0.0, 255.0) : (16.0, 219.0)
        switch component {
        case .luma: return vector(red, 1 - red - blue, blue, times: span / 255, plus: foot)
        case .blueDifference: return chroma(-red, red + blue - 1, 1 - blue, by: 2 * (1 - blue))
        case .redDifference: return chroma(1 - red, red + blue - 1, -blue, by: 2 * (1 - red))
        case .red: return vector(1, 0, 0, times: span / 255, plus: foot)
        case .green: return vector(0, 1, 0, times: span / 255, plus: foot)
        case .blue: return vector(0, 0, 1, times: span / 255, plus: foot)
        case .alpha: return SIMD4(0, 0, 0, 255)
        case .padding: return .zero
        }
    }

    private func chroma(_ red: Double, _ green: Double, _ blue: Double, by range: Double) -> SIMD4<Float> {
        vector(red, green, blue, times: (isFullRange ? 255 : 224) / 255 / range, plus: 128)
    }

    private func vector(
        _ red: Double, _ green: Double, _ blue: Double, times factor: Double, plus offset: Double
    ) -> SIMD4<Float> {
        SIMD4(Float(red * factor), Float(green * factor), Float(blue * factor), Float(offset))
    }
}
