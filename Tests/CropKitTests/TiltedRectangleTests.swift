// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import Testing

@testable import CropKit

@Suite struct `A tilted rectangle` {
    private static let aspect = 85.6 / 53.98

    private func misfit(_ corners: Quadrilateral, aspect: Double = Self.aspect) -> Double {
        TiltedRectangle.misfit(corners, aspect: aspect, width: 960, height: 640)
    }

    @Test(arguments: [(0.0, 0.0), (15, 0), (0, -15), (15, 15), (-12, 7)], [(480.0, 320.0), (380, 260), (600, 390)])
    func `A tilted rectangle is distinguished from other shapes at any place`(
        tilt: (Double, Double), place: (Double, Double)
    ) {
        let corners = CardScene.card(
            around: PixelPoint(place.0, place.1), width: 500, turned: 9, tilted: tilt, axis: PixelPoint(480, 320))
        #expect(misfit(corners) < 0.01)
        // A card that is cut off at its stripe, and a sheared card.
        #expect(misfit(corners, aspect: Self.aspect * 0.85) > 0.02)
        var leaning = corners
        leaning.topLeft.x += 100
        leaning.topRight.x += 100
        #expect(misfit(leaning) > 0.02)
    }

    @Test func `A tilted rectangle does not fit corners on a line, or invalid corners`() {
        let line = Quadrilateral((0..<4).map { PixelPoint(Double($0), Double($0) * 2) })
        #expect(misfit(line) == .infinity)
        let odd = Quadrilateral([PixelPoint](repeating: PixelPoint(.nan, 1), count: 4))
        #expect(!(misfit(odd) <= 0.02))
    }
}
