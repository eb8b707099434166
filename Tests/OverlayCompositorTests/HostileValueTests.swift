// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import OverlayCompositor

/// Values that a program or a preset can pass by mistake or on purpose.
@Suite(.timeLimit(.minutes(5))) struct `A hostile value` {
    static let numbers: [Double] = [
        .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .leastNonzeroMagnitude, -1, -0.0, 0, 0.3, 1, 1.0000001, 2, 255, 1e9, 1e19,
    ]
    static let drawing =
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><path id="subject" d="M0 0h2v2z"/></svg>"#
    static let integers = [Int.min, -1, 0, 1, 3, 64, 1 << 16, 1 << 31, 1 << 32, Int.max]

    @Test func `A hostile value of a color's channel is clamped to 0...1`() {
        var random = SeededGenerator(1)
        for _ in 0..<500 {
            var color = Color(red: random.number(), green: random.number(), blue: random.number())
            (color.red, color.green) = (random.number(), random.number())
            (color.blue, color.alpha) = (random.number(), random.number())
            for channel in [color.red, color.green, color.blue, color.alpha] { #expect((0...1).contains(channel)) }
        }
    }

    @Test(arguments: 0..<300)
    func `Hostile values in layers, styles and placements never stop the planner`(seed: Int) async throws {
        var random = SeededGenerator(seed)
        let file = try ScratchFile(
            ".svg", Self.drawing)
        let planner = OverlayPlanner(HostileRasterizer(seed: seed))
        let formats = ["I420", "NV12", "YUY2", "RGB", "BGRx"]
        let info = try VideoInfo(
            format: formats[seed % formats.count], width: 1 + seed % 61, height: 1 + seed * 7 % 53)
        for _ in 0..<4 {
            let contents = OverlayContents(
                (0..<3).map { random.layer("\($0)", file.path) }, appearance: random.style(),
                values: ["a": "\u{0}"], isMirrored: Bool.random(using: &random))
            let plan = try await planner.plan(
                contents, at: random.integer(), for: info, crop: Bool.random(using: &random) ? nil : random.crop()
            ).plan
            _ = try FramePool(info).makeFrame { plan.blend(into: &$0) }
        }
    }

    @Test(arguments: 0..<100)
    func `A hostile value in the frame or the scale of a shape is an error or an image`(seed: Int) async throws {
        var random = SeededGenerator(seed)
        let file = try ScratchFile(
            ".svg", Self.drawing)
        let planner = OverlayPlanner(HostileRasterizer(seed: seed))
        _ = try? await planner.shape(
            of: Outline(name: "any", path: file.path), random.placement(),
            onFrame: (random.integer(), random.integer()), scale: random.number())
    }

    @Test func `Hostile crop metadata is clipped to the frame`() throws {
        let info = try VideoInfo(format: "I420", width: 64, height: 48)
        var random = SeededGenerator(7)
        for _ in 0..<2000 {
            let crop = random.crop()
            let visible = try PlanFormat(info, crop: crop).visible
            #expect(visible.x >= 0 && visible.y >= 0 && visible.width > 0 && visible.height > 0, "\(crop)")
            #expect(visible.x + visible.width <= 64 && visible.y + visible.height <= 48, "\(crop)")
        }
        let inside = CropRectangle(x: 4, y: 6, width: 20, height: 10)
        #expect(try PlanFormat(info, crop: inside).visible == inside)
        let across = CropRectangle(x: 60, y: 40, width: 20, height: 20)
        #expect(try PlanFormat(info, crop: across).visible == CropRectangle(x: 60, y: 40, width: 4, height: 8))
    }

    @Test func `A raster image of a hostile size has as many pixels as its sides require`() {
        for width in Self.integers {
            for height in Self.integers {
                let image = RasterImage(x: 0, y: 0, width: width, height: height, pixels: [0, 0, 0])
                #expect(image.pixels.count == image.width * image.height)
            }
        }
    }

    @Test func `A request with hostile values can be encoded, decoded and scaled`() throws {
        var random = SeededGenerator(3)
        for _ in 0..<500 {
            let request = random.request()
            _ = request.wire
            let read = try RasterRequest(wire: request.wire)
            #expect(read.fit == request.fit)
            _ = request.scaled(by: random.number())
        }
    }
}

/// Answers each request with an image of any size at any place.
private struct HostileRasterizer: Rasterizer {
    let seed: Int

    func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        var random = SeededGenerator(seed)
        let (width, height) = (Int.random(in: 0...90, using: &random), Int.random(in: 0...90, using: &random))
        return RasterImage(
            x: random.integer(), y: random.integer(), width: width, height: height,
            pixels: (0..<width * height).map { _ in UInt32.random(in: 0 ... .max, using: &random) })
    }
}

extension SeededGenerator {
    mutating func number() -> Double { `A hostile value`.numbers.randomElement(using: &self) ?? 0 }

    mutating func integer() -> Int { `A hostile value`.integers.randomElement(using: &self) ?? 0 }

    mutating func crop() -> CropRectangle {
        CropRectangle(x: integer(), y: integer(), width: integer(), height: integer())
    }

    mutating func point() -> UnitPoint { UnitPoint(number(), number()) }

    mutating func length() -> Length { Bool.random(using: &self) ? .fraction(number()) : .pixels(number()) }

    mutating func color() -> Color {
        var color = Color.white
        (color.red, color.green, color.blue, color.alpha) = (number(), number(), number(), number())
        return color
    }

    mutating func placement() -> Placement {
        let anchor = Bool.random(using: &self) ? nil : point()
        return Placement(position: point(), anchor: anchor, size: number(), margin: length())
    }

    mutating func style() -> Style {
        var style = Style()
        (style.color, style.haloColor, style.background) = (color(), color(), color())
        (style.stroke, style.halo, style.opacity) = (length(), length(), number())
        style.font = ["", "Sans 1e9", "\u{0}", "no such font"].randomElement(using: &self)
        return style
    }

    mutating func layer(_ name: String, _ path: String) -> Layer {
        let outline = Outline(name: "any", path: path)
        let contents: [Layer.Content] = [
            .outline(outline), .text(TextTemplate("%Y {a} %")), .ghost(path: path), .grid(.center),
            .dim(outside: outline), .image(path: path), .letterbox(aspect: number()), .panel(aspect: number()),
        ]
        return Layer(name, contents.randomElement(using: &self) ?? .grid(.thirds), placement(), style())
    }

    mutating func request() -> RasterRequest {
        let drawing = DrawingStyle(
            color: color(), stroke: number(), halo: number(), haloColor: color())
        let words = TextStyle(
            font: "Sans", lineHeight: number(), color: color(), halo: number(), haloColor: color(), background: color())
        let svg = Array(`A hostile value`.drawing.utf8)
        let contents: [RasterRequest.Content] = [
            .drawing(svg: svg, drawing), .text("a\u{0}b", words), .picture([0x89], tint: color()),
        ]
        return RasterRequest(
            contents.randomElement(using: &self) ?? .text("", words), width: integer(), height: integer(),
            point: (number(), number()), anchor: point(), extent: (number(), number()),
            fit: Bool.random(using: &self) ? .contain : .cover, opacity: number())
    }
}
