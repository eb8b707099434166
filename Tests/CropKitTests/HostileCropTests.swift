// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import OverlayCompositor
import OverlayRaster
import PipelineKit
import StillKit
import Testing

@testable import CropKit

/// Geometry of a crop from values that a program or a damaged outline can contain.
@Suite(.timeLimit(.minutes(5))) struct `A crop from hostile values` {
    private static let numbers: [Double] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
        -1e6, -1, -0.0, 0, 0.01, 0.3, 1, 2, 20, 64, 1e6, 1e19,
    ]
    private static let lengths = [Int.min, -1, 0, 1, 2, 31, 64, 20_000, Int.max]

    private static func points(_ random: inout SplitMix) -> [PixelPoint] {
        (0..<4).map { _ in
            PixelPoint(numbers.randomElement(using: &random) ?? 0, numbers.randomElement(using: &random) ?? 0)
        }
    }

    @Test(arguments: UInt64(0)..<200) func `The geometry of hostile points, boxes and maps never traps`(seed: UInt64) {
        var random = SplitMix(seed)
        let corners = Quadrilateral(Self.points(&random))
        let box = PixelBox(around: Self.points(&random))
        _ = corners.overlaps(width: 64, height: 48)
        _ = (corners.isConvex, corners.meanSides, box.center, box.corners)
        for width in Self.lengths { _ = box.wholePixels(in: max(0, width), 48) }
        if let map = Homography(from: box.corners, to: corners), let back = map.inverse {
            let picture = StillPixels(width: 8, height: 6, pixels: Array(repeating: SIMD4(1, 2, 3, 255), count: 48))
            var seen = picture.warped(width: 5, height: 4, by: map * back, outside: SIMD4(0, 0, 0, 255))
            seen = picture.warped(width: 5, height: 4, by: map, outside: SIMD4(0, 0, 0, 255))
            #expect(seen.pixels.count == 20)
        }
        let plane = LumaPlane(width: 40, height: 30, samples: Array(repeating: 9, count: 1200))
        _ = CardEdges.search(
            in: plane, near: corners, aspect: Self.numbers.randomElement(using: &random) ?? 0)
    }

    @Test func `The geometry of a preview of any size never traps`() throws {
        let info = try VideoInfo(format: "I420", width: 64, height: 48)
        for width in Self.lengths {
            for height in Self.lengths {
                let preview = PreviewSize(width: width, height: height)
                for orientation in [Orientation.upright, .turnedLeft, .transposed] {
                    let geometry = StillGeometry(
                        frame: FrameShape(info), preview: preview, hasBorders: true, isMirrored: false,
                        orientation: orientation)
                    _ = geometry.stillBox(PixelBox(x: 0, y: 0, width: 10, height: 10))
                    _ = geometry.previewBox(geometry.picture)
                }
                _ = StillGeometry(stillWidth: width, height: height)
            }
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `A crop from hostile values is made or refused, without a trap`(seed: UInt64) async throws {
        var random = SplitMix(seed)
        func number() -> Double { Self.numbers.randomElement(using: &random) ?? 0 }
        let folder = try TemporaryFolder()
        let shapes = [
            #"<rect id="subject" width="10" height="8"/>"#, #"<rect id="subject" width="0" height="0"/>"#,
            #"<rect id="subject" width="NaN" height="1e999"/>"#, #"<path id="subject" d="M0 0 1e300 1e300nan"/>"#, "",
        ]
        let shape = try #require(shapes.randomElement(using: &random))
        let path = try folder.write("any.svg", "<svg viewBox=\"0 0 10 8\">\(shape)</svg>")
        let picture = StillPixels(width: 64, height: 48, pixels: Array(repeating: SIMD4(9, 80, 200, 255), count: 3072))
        let still = try await StillCoding.encode(picture, .png, quality: 95)
        for _ in 0..<4 {
            var request = CropRequest(Outline(name: "any", path: path))
            request.placement = Placement(
                position: UnitPoint(number(), number()), size: number(), margin: .fraction(number()))
            request.adjustment = CropAdjustment(moveX: number(), moveY: number(), zoom: number(), turn: number())
            if Bool.random(using: &random) { request.adjustment = CropAdjustment() }
            var ground = Color.white
            (ground.red, ground.green, ground.blue) = (number(), number(), number())
            request.corners = [.square, .rounded(ground: ground), .masked].randomElement(using: &random) ?? .square
            request.isRectified = Bool.random(using: &random)
            request.quality = Self.lengths.randomElement(using: &random) ?? 0
            request.format = [.png, .jpeg].randomElement(using: &random)
            _ = try? await StillCropper(CairoRasterizer()).crop(still, .png, to: request)
        }
    }
}
