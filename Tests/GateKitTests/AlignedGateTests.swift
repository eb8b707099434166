// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import GateKit
import Testing

@testable import FrameMeasures

@Suite("Aligning a card with its outline", .enabled(if: Photograph.isInstalled, Photograph.advice))
struct AlignedGateTests {
    /// The shape of an ID card in the middle of 640 × 360.
    private static let outline = corners(376, 236)

    @Test("A light or dark card on the outline passes in front of a photograph", arguments: [230, 20] as [UInt8])
    func onOutline(level: UInt8) async throws {
        let verdict = try await judge(Self.outline, level)
        #expect(verdict.passes && verdict.score > verdict.threshold, "\(verdict)")
    }

    @Test("A small card gets the hint closer, a large one farther away, and a misplaced one line up")
    func hints() async throws {
        #expect(try await judge(Self.corners(330, 190), 235).hint == .closer)
        #expect(try await judge(Self.corners(420, 276), 235).hint == .fartherAway)
        #expect(try await judge(Self.corners(376, 236, dx: 24, dy: -24), 235).hint == .lineUp)
    }

    @Test("Without a card the gate fails with the hint to line up")
    func absent() async throws {
        let verdict = try await judge([], 0)
        #expect(!verdict.passes && verdict.hint == .lineUp)
    }

    @Test("A card turned with its outline passes in either order of corners; a card turned alone fails")
    func turned() async throws {
        let turned = Self.corners(376, 236, turn: 0.1)
        for outline in [turned, turned.reversed()] {
            #expect(try await judge(turned, 235, outline: outline).passes)
        }
        #expect(try await !judge(turned, 235).passes)
    }

    @Test(
        "A card never passes if its outline is empty, degenerate or not finite",
        arguments: [
            [], [(0, 0)], [(0, 0), (9, 9)], [(.nan, 0), (1, .infinity), (3, 3)], [(1e300, 0), (-1e300, 5), (0, 1e300)],
            [(5, 5), (5, 5), (5, 5), (5, 5)], [(-500, -500), (-400, -500), (-400, -400)],
        ] as [[(Double, Double)]])
    func hostile(corners: [(Double, Double)]) async throws {
        let outline = corners.map { PixelPoint($0.0, $0.1) }
        let verdict = try await judge(Self.outline, 235, outline: outline)
        #expect(!verdict.passes && verdict.score.isFinite)
    }

    /// The gate's verdict on a card, after eight frames.
    private func judge(
        _ card: [PixelPoint], _ level: UInt8, outline: [PixelPoint] = Self.outline
    ) async throws -> GateVerdict {
        var footage = try await Footage.recorded
        var gate = AlignedGate(outline: outline)
        for _ in 0..<8 { _ = gate.add(Self.draw(card, level, on: footage.frame(x: 60, y: 240))) }
        return gate.add(Self.draw(card, level, on: footage.frame(x: 60, y: 240)))
    }

    private static func corners(
        _ width: Double, _ height: Double, dx: Double = 0, dy: Double = 0, turn: Double = 0
    ) -> [PixelPoint] {
        let (cosine, sine) = (1 - turn * turn / 2, turn - turn * turn * turn / 6)
        return [(-1, -1), (1, -1), (1, 1), (-1, 1)].map { (x: Double, y: Double) in
            let (x, y) = (x * width / 2, y * height / 2)
            return PixelPoint(320 + dx + x * cosine - y * sine, 180 + dy + x * sine + y * cosine)
        }
    }

    /// Draws a plain card with some print: the pixels inside all four edges.
    private static func draw(_ card: [PixelPoint], _ level: UInt8, on frame: LumaFrame) -> LumaFrame {
        guard !card.isEmpty else { return frame }
        var levels = frame.levels
        for index in levels.indices {
            let (x, y) = (Double(index % frame.width * 4 + 2), Double(index / frame.width * 4 + 2))
            let isInside = card.indices.allSatisfy { (corner: Int) -> Bool in
                let (start, end) = (card[corner], card[(corner + 1) % 4])
                let turn: Double = (end.x - start.x) * (y - start.y) - (end.y - start.y) * (x - start.x)
                return turn >= 0
            }
            if isInside { levels[index] = index % 7 == 0 ? level / 2 + 60 : level }
        }
        return LumaFrame(width: frame.width, height: frame.height, scale: frame.scale, levels: levels)
    }
}
