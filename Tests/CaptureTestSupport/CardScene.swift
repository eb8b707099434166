// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import Foundation
import FrameMeasures

/// A card over a ground, drawn pixel by pixel, with a stripe, a photo, lines of text and a glare on it.
package struct CardScene {
    /// The surface under a card.
    package enum Ground: CaseIterable, Sendable {
        /// One color.
        case plain
        /// From dark to light, with noise.
        case gradient
        /// Patches of many shades and sizes, and noise.
        case patches
        /// Boards, which have edges too.
        case boards
    }

    package let width: Int
    package let height: Int
    /// The corners of the card; `nil` if there is no card.
    package let corners: Quadrilateral?
    package let ground: Ground
    /// A photograph under the card, which replaces the ground.
    package var photo: LumaPlane?
    /// `true` for a dark card with light print.
    package var isDark = false

    package init(
        width: Int, height: Int, corners: Quadrilateral?, ground: Ground, photo: LumaPlane? = nil,
        isDark: Bool = false
    ) {
        self.width = width
        self.height = height
        self.corners = corners
        self.ground = ground
        self.photo = photo
        self.isDark = isDark
    }

    /// A card seen from the front, with its upper left corner at 0.
    package static func flat(width: Double) -> Quadrilateral {
        PixelBox(x: 0, y: 0, width: width, height: width * 53.98 / 85.6).corners
    }

    /// A card turned in its plane and tilted out of it, as a lens sees it from twice its width.
    ///
    /// - Parameter axis: The point at which the lens looks; `nil` for the card's middle.
    package static func card(
        around center: PixelPoint, width: Double, turned: Double, tilted: (Double, Double) = (0, 0),
        axis: PixelPoint? = nil
    ) -> Quadrilateral {
        let axis = axis ?? center
        let (turn, down, side) = (turned * .pi / 180, tilted.0 * .pi / 180, tilted.1 * .pi / 180)
        let distance = 2 * width
        return Quadrilateral(
            flat(width: width).corners.map { corner in
                var (x, y) = (corner.x - width / 2, corner.y - width * 53.98 / 85.6 / 2)
                var z = 0.0
                (x, y) = (x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn))
                (y, z) = (y * cos(down) - z * sin(down), y * sin(down) + z * cos(down))
                (x, z) = (x * cos(side) + z * sin(side), z * cos(side) - x * sin(side))
                let offset = center + PixelPoint(x, y) - axis
                return axis + offset * (distance / (distance + z))
            })
    }

    /// The scene as a camera with noise sees it; four samples a pixel in each direction.
    package var luma: LumaPlane {
        var noise = SplitMix(7)
        let map = corners.flatMap { Homography(from: $0, to: Self.flat(width: 856)) }
        var samples: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let level = level(x, y, map) + Double.random(in: -9...9, using: &noise)
                samples.append(UInt8(min(max(0, level), 255)))
            }
        }
        return LumaPlane(width: width, height: height, samples: samples)
    }

    private func level(_ x: Int, _ y: Int, _ map: Homography?) -> Double {
        guard let map else { return shade(Double(x), Double(y)) }
        let middle = map(PixelPoint(Double(x) + 0.5, Double(y) + 0.5))
        // Far from the card's edges, one sample is enough.
        let toEdge = min(min(middle.x, 856 - middle.x), min(middle.y, 539.8 - middle.y))
        if toEdge < -4 { return shade(Double(x), Double(y)) }
        if toEdge > 34, let level = card(middle) { return level }
        var sum = 0.0
        for step in 0..<16 {
            let place = PixelPoint(
                Double(x) + (Double(step % 4) + 0.5) / 4, Double(y) + (Double(step / 4) + 0.5) / 4)
            sum += card(map(place)) ?? shade(place.x, place.y)
        }
        return sum / 16
    }

    /// The level of a place given in tenths of a millimeter on the card; `nil` if it is beside the card.
    private func card(_ place: PixelPoint) -> Double? {
        let (x, y, radius) = (place.x, place.y, 31.8)
        guard x >= 0, y >= 0, x <= 856, y <= 539.8 else { return nil }
        let (inX, inY) = (min(max(radius, x), 856 - radius), min(max(radius, y), 539.8 - radius))
        if PixelPoint(x, y).distance(to: PixelPoint(inX, inY)) > radius { return nil }
        // Light from a lamp, right over an edge.
        if PixelPoint(x, y).distance(to: PixelPoint(620, 10)) < 70 { return 250 }
        if (60...150).contains(y) { return isDark ? 190 : 35 }
        if (60...260).contains(x), (210...470).contains(y) { return 130 }
        if x > 320, x < 780, y > 220, Int(y) % 50 < 14, Int(x) % 23 < 15 { return isDark ? 170 : 60 }
        return isDark ? 38 : 205
    }

    private func shade(_ x: Double, _ y: Double) -> Double {
        if let photo { return photo.value(at: PixelPoint(x, y)) ?? 0 }
        switch ground {
        case .plain: return 70
        case .gradient: return 30 + 110 * x / Double(width)
        case .patches:
            return 95 + 28 * sin(x / 17 + sin(y / 23) * 3) + 22 * cos(y / 11 + cos(x / 31) * 2) + 14 * sin((x + y) / 5)
        case .boards:
            let board = Int((y + x * 0.3) / 67)
            return 60 + Double(board * 37 % 80) + ((y + x * 0.3).truncatingRemainder(dividingBy: 67) < 3 ? -40 : 0)
        }
    }
}
