// Part of gst-capture. Apache License 2.0, see LICENSE.

@testable import OverlayCompositor

/// A generator with the same numbers on each machine and in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension RasterImage {
    /// A random rectangle of a frame: noise, holes, flat areas, or all of it with one alpha.
    static func random(_ width: Int, _ height: Int, _ generator: inout SeededGenerator) -> RasterImage {
        let isWhole = Int.random(in: 0..<4, using: &generator) == 0
        let x = isWhole ? 0 : Int.random(in: 0..<width, using: &generator)
        let y = isWhole ? 0 : Int.random(in: 0..<height, using: &generator)
        let size = (
            isWhole ? width : Int.random(in: 1...width - x, using: &generator),
            isWhole ? height : Int.random(in: 1...height - y, using: &generator)
        )
        let kind = Int.random(in: 0..<4, using: &generator)
        let (one, alpha) = (premultiplied(nil, &generator), UInt32.random(in: 0...255, using: &generator))
        let pixels = (0..<size.0 * size.1).map { _ -> UInt32 in
            switch kind {
            case 0: one
            case 1: premultiplied(alpha, &generator)
            case 2: Bool.random(using: &generator) ? 0 : premultiplied(nil, &generator)
            default: premultiplied(nil, &generator)
            }
        }
        return RasterImage(x: x, y: y, width: size.0, height: size.1, pixels: pixels)
    }

    /// Clear, opaque, or in between.
    private static func anyAlpha(_ generator: inout SeededGenerator) -> UInt32 {
        let alpha = UInt32.random(in: 0...255, using: &generator)
        return [0, 255, alpha][Int.random(in: 0..<3, using: &generator)]
    }

    private static func premultiplied(_ alpha: UInt32?, _ generator: inout SeededGenerator) -> UInt32 {
        let alpha = alpha ?? anyAlpha(&generator)
        func part() -> UInt32 { UInt32.random(in: 0...alpha, using: &generator) }
        return alpha << 24 | part() << 16 | part() << 8 | part()
    }
}
