// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A wall of patches of all sizes, with as many edges as a scene can have, seen by a camera with some noise.
struct Scene {
    private let width: Int
    private let height: Int

    init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// A frame in I420, seen from a place.
    func frame(x: Int, y: Int, noise seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var frame = [UInt8](repeating: 128, count: width * height * 3 / 2)
        for row in 0..<height {
            for column in 0..<width {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let noise = Int(state >> 62) - 2
                frame[row * width + column] = UInt8(level(column + x, row + y) + noise)
            }
        }
        return frame
    }

    /// The brightness of patches of 48, 24 and 12 pixels, one over the other.
    private func level(_ x: Int, _ y: Int) -> Int {
        [48, 24, 12].reduce(60) { $0 + shade(x / $1, y / $1, $1) }
    }

    /// The shade of a patch, always the same, from 0 to 47.
    private func shade(_ x: Int, _ y: Int, _ size: Int) -> Int {
        var mixed = UInt64(x &* 73_856_093 ^ y &* 19_349_663 ^ size &* 83_492_791)
        mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return Int((mixed ^ mixed >> 33) % 48)
    }
}
