// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import FrameMeasures
import Testing

@testable import CropKit

@Suite(
    "A card on a real photograph", .timeLimit(.minutes(10)),
    .enabled(if: Photograph.isInstalled && Photograph.others.count >= 15, Photograph.advice))
struct CardPhotographTests {
    private static let aspect = 85.6 / 53.98
    private static let cards = 6

    /// The results of searches: cards found to within two pixels, cards refused, and cards found in a wrong place.
    private struct Tally {
        var right = 0
        var refused = 0
        var wrong: [String] = []
    }

    // A third of the cards are as dark or as bright as the ground along a side or more, so that this edge is invisible.
    @Test func `A card on a photograph is found to within two pixels, or refused`() async throws {
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for path in [Photograph.path] + Photograph.others {
                group.addTask { Self.tally(try await Photograph(path: path, scale: "8/8"), path) }
            }
            return try await group.reduce(into: Tally()) { sum, part in
                sum.right += part.right
                sum.refused += part.refused
                sum.wrong += part.wrong
            }
        }
        #expect(tally.wrong.isEmpty)
        #expect(tally.right >= 64, "\(tally)")
        #expect(tally.right + tally.refused + tally.wrong.count == 16 * Self.cards)
    }

    private static func tally(_ photograph: Photograph, _ path: String) -> Tally {
        let plane = LumaPlane(width: photograph.width, height: photograph.height, samples: photograph.levels)
        var generator = SplitMix(1)
        var tally = Tally()
        for index in 0..<cards {
            let (expected, corners) = place(on: plane, index, &generator)
            var scene = CardScene(width: plane.width, height: plane.height, corners: corners, ground: .plain)
            (scene.photo, scene.isDark) = (plane, index % 2 == 1)
            guard let edges = try? CardEdges.find(in: scene.luma, near: expected.corners, aspect: aspect) else {
                tally.refused += 1
                continue
            }
            let flat = CardScene.flat(width: expected.width)
            let map = Homography(from: corners, to: flat)
            let worst = zip(edges.corners.corners, flat.corners).map { map?($0).distance(to: $1) ?? .infinity }.max()
            if let worst, worst < 2 {
                tally.right += 1
            } else {
                tally.wrong.append("\(path), card \(index): off by \(worst ?? 0), sure by \(edges.confidence)")
            }
        }
        return tally
    }

    /// An outline somewhere on the picture, and a card near it, turned and tilted by up to 15 degrees.
    private static func place(
        on plane: LumaPlane, _ index: Int, _ generator: inout SplitMix
    ) -> (expected: PixelBox, corners: Quadrilateral) {
        func random(_ most: Double) -> Double { .random(in: -most...most, using: &generator) }
        let (wide, high) = (Double(plane.width), Double(plane.height))
        let width = wide * Double.random(in: 0.45...0.65, using: &generator)
        let expected = PixelBox(
            x: (wide - width) / 2 + random(0.12) * wide, y: (high - width / aspect) / 2 + random(0.12) * high,
            width: width, height: width / aspect)
        let center = expected.center + PixelPoint(random(0.04), random(0.04)) * width
        let corners = CardScene.card(
            around: center, width: width * Double.random(in: 0.93...1.05, using: &generator),
            turned: index % 3 == 0 ? 0 : random(15), tilted: (random(15), random(15)),
            axis: PixelPoint(wide / 2, high / 2))
        return (expected, corners)
    }

    @Test func `No card is found on a photograph without a card`() async throws {
        for path in [Photograph.path] + Photograph.others {
            let photograph = try await Photograph(path: path, scale: "8/8")
            let plane = LumaPlane(width: photograph.width, height: photograph.height, samples: photograph.levels)
            let box = PixelBox(x: 100, y: 150, width: 320, height: 320 / Self.aspect)
            #expect(throws: CaptureError.self, "\(path)") {
                try CardEdges.find(in: plane, near: box.corners, aspect: Self.aspect)
            }
        }
    }
}
