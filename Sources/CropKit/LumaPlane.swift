// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// The brightness of a picture, row by row.
package struct LumaPlane: Sendable {
    let width: Int
    let height: Int
    let samples: [UInt8]

    package init(
        width: Int, height: Int, samples: [UInt8]
    ) {
        self.width = width
        self.height = height
        self.samples = samples
    }

    /// The plane at half the width and height: means of four pixels.
    var halved: LumaPlane {
        let (columns, rows) = (width / 2, height / 2)
        var half = [UInt8](repeating: 0, count: columns * rows)
        for y in 0..<rows {
            for x in 0..<columns {
                let place = 2 * y * width + 2 * x
                let sum = Int(samples[place]) + Int(samples[place + 1]) + Int(samples[place + width])
                half[y * columns + x] = UInt8((sum + Int(samples[place + width + 1]) + 2) / 4)
            }
        }
        return LumaPlane(width: columns, height: rows, samples: half)
    }

    /// Returns the brightness at a place, interpolated between pixels; `nil` outside of the picture.
    package func value(at place: PixelPoint) -> Double? {
        guard place.x >= 0, place.y >= 0, place.x <= Double(width), place.y <= Double(height), width > 0, height > 0
        else { return nil }
        let x = min(max(0, place.x - 0.5), Double(width - 1))
        let y = min(max(0, place.y - 0.5), Double(height - 1))
        let (left, top) = (Int(x), Int(y))
        let (right, below) = (left + 1 < width ? 1 : 0, top + 1 < height ? width : 0)
        let (across, down, start) = (x - Double(left), y - Double(top), top * width + left)
        let upper = Double(samples[start]) * (1 - across) + Double(samples[start + right]) * across
        let lower = Double(samples[start + below]) * (1 - across) + Double(samples[start + below + right]) * across
        return upper * (1 - down) + lower * down
    }
}
