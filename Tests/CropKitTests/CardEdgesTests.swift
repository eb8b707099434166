// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import FrameMeasures
import Testing

@testable import CropKit

@Suite(.timeLimit(.minutes(10))) struct `The edges of a card` {
    private static let aspect = 85.6 / 53.98
    private static let expected = PixelBox(x: 160, y: 120, width: 640, height: 640 / aspect).corners

    @Test(arguments: [-15.0, -8, -2, 0, 3, 11, 15], CardScene.Ground.allCases)
    func `The edges of a card that is turned in its plane are found`(degrees: Double, ground: CardScene.Ground) throws {
        let corners = CardScene.card(around: PixelPoint(488, 316), width: 620, turned: degrees)
        try expectEdges(of: corners, on: ground)
    }

    @Test(arguments: [(15.0, 0.0), (-15, 0), (0, 15), (0, -15), (11, 11), (-10, 9)], CardScene.Ground.allCases)
    func `The edges of a tilted card are found`(tilt: (Double, Double), ground: CardScene.Ground) throws {
        let corners = CardScene.card(around: PixelPoint(470, 330), width: 640, turned: 2, tilted: tilt)
        try expectEdges(of: corners, on: ground)
    }

    private func expectEdges(of corners: Quadrilateral, on ground: CardScene.Ground) throws {
        let plane = CardScene(width: 960, height: 640, corners: corners, ground: ground).luma
        let edges = try CardEdges.find(in: plane, near: Self.expected, aspect: Self.aspect)
        let map = try #require(Homography(from: corners, to: CardScene.flat(width: 640)))
        for (found, flat) in zip(edges.corners.corners, CardScene.flat(width: 640).corners) {
            #expect(map(found).distance(to: flat) < 2, "\(ground): \(found)")
        }
    }

    @Test func `No edges are found without a card`() {
        for ground in CardScene.Ground.allCases {
            let plane = CardScene(width: 960, height: 640, corners: nil, ground: ground).luma
            #expect(throws: CaptureError.self, "\(ground)") {
                try CardEdges.find(in: plane, near: Self.expected, aspect: Self.aspect)
            }
        }
    }

    @Test func `No edges are found if half of the card is outside the picture`() {
        let corners = CardScene.card(around: PixelPoint(20, 320), width: 620, turned: 0)
        let plane = CardScene(width: 960, height: 640, corners: corners, ground: .plain).luma
        #expect(throws: CaptureError.self) {
            try CardEdges.find(in: plane, near: Self.expected, aspect: Self.aspect)
        }
    }

    @Test func `No edges are found with an invalid outline, or in an empty picture`() {
        let plane = LumaPlane(width: 0, height: 0, samples: [])
        #expect(CardEdges.search(in: plane, near: Self.expected, aspect: 1.6) == nil)
        let odd = Quadrilateral([PixelPoint](repeating: PixelPoint(.nan, 1), count: 4))
        let scene = CardScene(width: 320, height: 240, corners: nil, ground: .plain).luma
        #expect(CardEdges.search(in: scene, near: odd, aspect: 1.6) == nil)
        #expect(CardEdges.search(in: scene, near: Self.expected, aspect: .nan) == nil)
        #expect(CardEdges.search(in: scene, near: Self.expected.scaled(by: 1e9), aspect: 1.6) == nil)
    }
}
