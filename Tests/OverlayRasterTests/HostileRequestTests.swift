// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import Testing

/// Draws in this process, which a trap would end.
@Suite(.timeLimit(.minutes(5))) struct `A hostile request` {
    private static let numbers: [Double] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -1,
        -0.0, 0, 0.3, 1, 1.5, 20, 50, 100, 1e9, 1e19,
    ]
    private static let sides = [Int.min, -1, 0, 1, 7, 64, 200, 1 << 31, Int.max]

    private struct Dice {
        var random: SeededGenerator

        mutating func number() -> Double { numbers.randomElement(using: &random) ?? 0 }

        mutating func side() -> Int { sides.randomElement(using: &random) ?? 0 }

        mutating func color() -> Color {
            var color = Color(red: number(), green: number(), blue: 0)
            (color.blue, color.alpha) = (number(), number())
            return color
        }

        mutating func content(_ picture: [UInt8]) -> RasterRequest.Content {
            let areas = [DrawingStyle.Area.subject, .crop, nil]
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                var style = DrawingStyle(color: color(), stroke: number(), halo: number(), haloColor: color())
                style.area = areas.randomElement(using: &random) ?? nil
                return .drawing(svg: Array(String.square.utf8), style)
            case 1:
                let style = TextStyle(
                    font: "Sans", lineHeight: number(), color: color(), halo: number(), haloColor: color(),
                    background: Bool.random(using: &random) ? color() : nil)
                return .text("Hg\nä \u{0}", style)
            default: return .picture(picture, tint: Bool.random(using: &random) ? color() : nil)
            }
        }
    }

    @Test(arguments: 0..<150)
    func `A hostile request is an error or a premultiplied image within its frame`(seed: UInt64) throws {
        var dice = Dice(random: SeededGenerator(seed: seed))
        let picture = try Corpus.file("halves.png")
        for _ in 0..<4 {
            let request = RasterRequest(
                dice.content(picture), width: dice.side(), height: dice.side(),
                point: (dice.number(), dice.number()), anchor: UnitPoint(dice.number(), dice.number()),
                extent: (dice.number(), dice.number()), fit: Bool.random(using: &dice.random) ? .contain : .cover,
                opacity: dice.number())
            guard let image = try? CairoRasterizer.draw(request) else { continue }
            #expect(image.isPremultiplied)
            guard !image.pixels.isEmpty else { continue }
            #expect(image.x >= 0 && image.x + image.width <= request.width)
            #expect(image.y >= 0 && image.y + image.height <= request.height)
        }
    }

    @Test(arguments: [Double.nan, -1, 2, .infinity])
    func `A shape whose color is out of range is drawn in the nearest valid color`(value: Double) throws {
        var color = Color.black
        color.blue = value
        let image = try CairoRasterizer.draw(.drawing(.square, DrawingStyle(area: .subject, color: color, stroke: 0)))
        #expect(image[100, 50] == (value > 0 ? 0xFF00_00FF : 0xFF00_0000))
    }
}
