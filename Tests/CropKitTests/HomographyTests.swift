// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import Testing

@testable import CropKit

@Suite struct `A homography` {
    private static let square = PixelBox(x: 0, y: 0, width: 300, height: 200).corners
    private static let tilted = Quadrilateral(
        topLeft: PixelPoint(40, 30), topRight: PixelPoint(350, 60), bottomRight: PixelPoint(330, 290),
        bottomLeft: PixelPoint(20, 240))

    @Test func `A homography maps four corners to four others, and its inverse maps them back`() throws {
        let map = try #require(Homography(from: Self.square, to: Self.tilted))
        let back = try #require(map.inverse)
        for (from, to) in zip(Self.square.corners, Self.tilted.corners) {
            #expect(map(from).distance(to: to) < 1e-9)
            #expect(back(to).distance(to: from) < 1e-9)
        }
        let place = PixelPoint(123, 45)
        #expect((back * map)(place).distance(to: place) < 1e-9)
    }

    @Test func `A homography maps the crossing of the diagonals to the crossing of the mapped diagonals`() throws {
        let map = try #require(Homography(from: Self.square, to: Self.tilted))
        let corners = Self.tilted.corners
        let (first, second) = (
            EdgeLine(from: corners[0], to: corners[2]), EdgeLine(from: corners[1], to: corners[3])
        )
        let middle = try #require(first.crossing(second))
        #expect(map(PixelPoint(150, 100)).distance(to: middle) < 1e-9)
    }

    @Test func `No homography exists if corners lie on a line or on each other`() {
        let line = Quadrilateral((0..<4).map { PixelPoint(Double($0), Double($0) * 2) })
        let point = Quadrilateral([PixelPoint](repeating: PixelPoint(1, 1), count: 4))
        let wild = Quadrilateral([PixelPoint](repeating: PixelPoint(.nan, .infinity), count: 4))
        for broken in [line, point, wild] {
            #expect(Homography(from: Self.square, to: broken) == nil)
            #expect(Homography(from: broken, to: Self.square) == nil)
        }
    }

    @Test func `The homography of an adjustment moves, zooms and turns around the center of the outline`() {
        let box = PixelBox(x: 100, y: 50, width: 200, height: 100)
        func source(_ adjustment: CropAdjustment, _ x: Double, _ y: Double) -> PixelPoint {
            adjustment.toPicture(under: box)(PixelPoint(x, y))
        }
        #expect(source(CropAdjustment(), 123, 77).distance(to: PixelPoint(123, 77)) < 1e-9)
        // A picture that is moved to the right shows its left part here.
        #expect(source(CropAdjustment(moveX: 0.5), 200, 100).distance(to: PixelPoint(100, 100)) < 1e-9)
        #expect(source(CropAdjustment(zoom: 2), 300, 100).distance(to: PixelPoint(250, 100)) < 1e-9)
        // A picture that is turned clockwise shows its left side on top.
        #expect(source(CropAdjustment(turn: 90), 200, 50).distance(to: PixelPoint(150, 100)) < 1e-9)
    }

    @Test(arguments: [0, -1, 0.001, 1000, .nan, .infinity])
    func `An adjustment with a zoom out of range is refused`(zoom: Double) {
        #expect(throws: CaptureError.self) { try CropAdjustment(zoom: zoom).check() }
    }
}
