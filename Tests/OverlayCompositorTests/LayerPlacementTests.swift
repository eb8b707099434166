// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import OverlayCompositor

@Suite struct `A layer on a frame` {
    private let scene = LayerScene(width: 1600, height: 900, appearance: Style(), values: [:], unixTime: 0)

    private func request(_ layer: Layer, _ scene: LayerScene? = nil) throws -> RasterRequest {
        try layer.request(in: scene ?? self.scene) { _ in [] }
    }

    private let face = Outline(name: "face", path: "face.svg")

    @Test func `An outline fills the frame unless its placement sets another size and place`() throws {
        let whole = try request(Layer("a", .outline(face)))
        #expect((whole.pointX, whole.pointY, whole.extentWidth, whole.extentHeight) == (800, 450, 1600, 900))
        let placed = try request(Layer("a", .outline(face), Placement(position: UnitPoint(0, 1), size: 0.5)))
        #expect((placed.pointX, placed.pointY, placed.extentWidth, placed.extentHeight) == (0, 900, 800, 450))
        #expect(placed.anchor == UnitPoint(0, 1))
    }

    @Test func `Text lies at the lower edge, within a margin`() throws {
        let text = try request(Layer("a", .text(TextTemplate("hello"))))
        #expect((text.pointX, text.pointY, text.anchor) == (800, 873, UnitPoint(0.5, 1)))
        guard case .text("hello", let style) = text.content else { return #expect(Bool(false), "is text") }
        #expect(style.lineHeight == 45)
    }

    @Test func `A layer takes the parts of its style that it does not set from the appearance`() throws {
        var appearance = Style()
        (appearance.color, appearance.stroke) = (.black, .pixels(7))
        var layer = Layer("a", .outline(face))
        layer.style.stroke = .fraction(0.01)
        let scene = LayerScene(width: 1600, height: 900, appearance: appearance, values: [:], unixTime: 0)
        guard case .drawing(_, let style) = try request(layer, scene).content else {
            return #expect(Bool(false), "is a drawing")
        }
        #expect((style.color, style.stroke, style.halo) == (.black, 9, 900 * 0.0015))
    }

    @Test func `A ghost covers the frame, and is translucent for any appearance`() throws {
        var appearance = Style()
        appearance.opacity = 1
        let scene = LayerScene(width: 1600, height: 900, appearance: appearance, values: [:], unixTime: 0)
        #expect(try request(Layer("a", .ghost(path: "a.jpg")), scene).opacity == 0.4)
        #expect(Layer("a", .ghost(path: "a.jpg")).isGround)
    }

    @Test func `A panel has the requested aspect, and the extent of a picture of the same size`() throws {
        let panel = try request(Layer("a", .panel(aspect: 2), Placement(position: .center, size: 0.5)))
        #expect((panel.pointX, panel.pointY, panel.extentWidth, panel.extentHeight) == (800, 450, 800, 450))
        guard case .drawing(let svg, let style) = panel.content else { return #expect(Bool(false), "is a drawing") }
        #expect(String(decoding: svg, as: UTF8.self).contains(#"viewBox="0 0 200.0 100.0""#) && style.color == .black)
        #expect(!Layer("a", .panel(aspect: 2)).isGround)
    }

    @Test func `A dim darkens all pixels outside of its outline`() {
        let shape = RasterImage(x: 1, y: 0, width: 2, height: 1, pixels: [0xFF00_0000, 0x8000_0000])
        let dark = shape.inverted(width: 4, height: 2, color: .black, opacity: 0.5)
        #expect((dark.x, dark.y, dark.width, dark.height) == (0, 0, 4, 2))
        #expect(dark.pixels.map { $0 >> 24 } == [128, 0, 64, 128, 128, 128, 128, 128])
    }
}

@Suite struct `Groups of layers` {
    private func layer(_ x: Int, _ y: Int, _ size: Int, isGround: Bool = false) -> DrawnLayer {
        let image = RasterImage(
            x: x, y: y, width: size, height: size, pixels: Array(repeating: 0xFFFF_FFFF, count: size * size))
        let request = RasterRequest(
            .picture([], tint: nil), width: 1000, height: 1000, point: (0, 0), anchor: .center, extent: (1, 1))
        return DrawnLayer(request, image, isGround: isGround)
    }

    private func groups(_ layers: [DrawnLayer]) -> [[Int]] { LayerGroups(layers, origin: (0, 0)).groups }

    @Test func `Layers that do not touch are in separate groups`() {
        #expect(groups([layer(0, 0, 100), layer(200, 0, 100)]) == [[0], [1]])
    }

    @Test func `Layers that touch, directly or through a third layer, are in one group`() {
        #expect(groups([layer(0, 0, 100), layer(150, 0, 100), layer(90, 0, 70)]) == [[0, 1, 2]])
    }

    @Test func `All ground layers are in one group below all other layers`() {
        let ground = layer(0, 0, 900, isGround: true)
        #expect(groups([layer(0, 0, 10), ground, layer(500, 500, 10), ground]) == [[1, 3], [0], [2]])
    }
}
