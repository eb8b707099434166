// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Layer {
    /// `true` for layers that cover the frame or much of it; they are drawn below all others.
    var isGround: Bool {
        switch content {
        case .ghost, .dim, .letterbox: true
        case .outline, .text, .grid, .image, .panel: false
        }
    }

    /// Resolves the layer to a request for the ``Rasterizer``.
    ///
    /// - Parameter read: Reads a file.
    func request(
        in scene: LayerScene, read: (String) throws(OverlayError) -> [UInt8]
    ) throws(OverlayError) -> RasterRequest {
        let look = style.merging(over: scene.appearance).merging(over: .standard)
        switch content {
        case .outline(let outline):
            let content = try Self.drawing(outline.path, read, look, look.color, scene)
            return fitted(content, in: scene, size: 1, at: .center, opacity: look.opacity)
        case .image(let path):
            let content = try Self.drawing(path, read, look, style.color, scene)
            return fitted(content, in: scene, size: 0.2, at: UnitPoint(1, 1), margin: 0.03, opacity: look.opacity)
        case .text(let template):
            return words(template.text(at: scene.unixTime, scene.values), in: scene, look)
        case .ghost(let path):
            return covering(.picture(try read(path), tint: nil), in: scene, opacity: style.opacity ?? 0.4)
        case .dim(let outline):
            return try shape(.subject, of: outline, in: scene, read: read)
        case .grid(let grid):
            return covering(
                .drawing(svg: grid.svg(scene), Self.lines(look, scene, width: 0.4)), in: scene, opacity: look.opacity)
        case .letterbox(let aspect):
            let color = style.color ?? .black
            let svg = Letterbox(aspect: aspect).svg(scene)
            let bars = DrawingStyle(color: color, stroke: 1)
            return covering(.drawing(svg: svg, bars), in: scene, opacity: style.opacity ?? 1)
        case .panel(let aspect):
            let fill = DrawingStyle(color: style.color ?? .black, stroke: 1)
            return fitted(
                .drawing(svg: Panel(aspect: aspect).svg, fill), in: scene, size: 1, at: .center,
                opacity: style.opacity ?? 1)
        }
    }
}

extension Layer {
    /// Resolves an area of an outline, filled, at the placement of this layer.
    func shape(
        _ area: DrawingStyle.Area, of outline: Outline, in scene: LayerScene,
        read: (String) throws(OverlayError) -> [UInt8]
    ) throws(OverlayError) -> RasterRequest {
        fitted(try Self.area(area, outline.path, read), in: scene, size: 1, at: .center, opacity: 1)
    }
}

// MARK: - Content

extension Layer {
    private typealias Reader = (String) throws(OverlayError) -> [UInt8]

    /// Returns a drawing if the path ends in `.svg`; otherwise a picture, in one color if `tint` is set.
    private static func drawing(
        _ path: String, _ read: Reader, _ look: Style, _ tint: Color?, _ scene: LayerScene
    ) throws(OverlayError) -> RasterRequest.Content {
        let bytes = try read(path)
        return isDrawing(path) ? .drawing(svg: bytes, lines(look, scene)) : .picture(bytes, tint: tint)
    }

    private static func area(
        _ area: DrawingStyle.Area, _ path: String, _ read: Reader
    ) throws(OverlayError) -> RasterRequest.Content {
        let bytes = try read(path)
        guard isDrawing(path) else { return .picture(bytes, tint: .black) }
        return .drawing(svg: bytes, DrawingStyle(area: area, color: .black, stroke: 0))
    }

    private static func isDrawing(_ path: String) -> Bool { path.lowercased().hasSuffix(".svg") }

    private static func lines(_ look: Style, _ scene: LayerScene, width: Double = 1) -> DrawingStyle {
        DrawingStyle(
            color: look.color ?? .white, stroke: scene.pixels(look.stroke ?? .pixels(2)) * width,
            halo: scene.pixels(look.halo ?? .pixels(0)), haloColor: look.haloColor ?? .black)
    }
}

// MARK: - Place

extension Layer {
    /// Returns a request that covers the whole frame; the layer's placement is ignored.
    private func covering(
        _ content: RasterRequest.Content, in scene: LayerScene, opacity: Double?
    ) -> RasterRequest {
        let (width, height) = (Double(scene.width), Double(scene.height))
        return RasterRequest(
            content, width: scene.width, height: scene.height, point: (width / 2, height / 2), anchor: .center,
            extent: (width, height), fit: .cover, opacity: opacity ?? 1)
    }

    /// Returns a request for content as large as fits into the layer's share of the frame.
    private func fitted(
        _ content: RasterRequest.Content, in scene: LayerScene, size: Double, at place: UnitPoint, margin: Double = 0,
        opacity: Double?
    ) -> RasterRequest {
        let size = placement.size ?? size
        return RasterRequest(
            content, width: scene.width, height: scene.height, point: point(in: scene, place, margin),
            anchor: placement.anchor ?? placement.position ?? place,
            extent: (Double(scene.width) * size, Double(scene.height) * size), opacity: opacity ?? 1)
    }

    private func words(_ text: String, in scene: LayerScene, _ look: Style) -> RasterRequest {
        let place = UnitPoint(0.5, 1)
        let style = TextStyle(
            font: look.font ?? "Sans", lineHeight: (placement.size ?? 0.05) * scene.side, color: look.color ?? .white,
            halo: scene.pixels(look.halo ?? .pixels(0)), haloColor: look.haloColor ?? .black,
            background: look.background)
        let margin = scene.pixels(placement.margin ?? .fraction(0.03))
        return RasterRequest(
            .text(text, style), width: scene.width, height: scene.height, point: point(in: scene, place, 0.03),
            anchor: placement.anchor ?? placement.position ?? place,
            extent: (max(1, Double(scene.width) - 2 * margin), max(1, Double(scene.height) - 2 * margin)),
            opacity: look.opacity ?? 1)
    }

    /// Returns the point of the frame on which the anchor lies, in pixels. Positions count between the margins.
    private func point(in scene: LayerScene, _ place: UnitPoint, _ margin: Double) -> (x: Double, y: Double) {
        let margin = scene.pixels(placement.margin ?? .fraction(margin))
        let position = placement.position ?? place
        return (
            margin + position.x * (Double(scene.width) - 2 * margin),
            margin + position.y * (Double(scene.height) - 2 * margin)
        )
    }
}
