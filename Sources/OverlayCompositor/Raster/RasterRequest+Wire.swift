// Part of gst-capture. Apache License 2.0, see LICENSE.

extension RasterRequest {
    /// The request, encoded for the socket.
    package var wire: [UInt8] {
        var writer = WireWriter()
        for side in [width, height] { writer.put(UInt32(clamping: side)) }
        for number in [pointX, pointY, anchor.x, anchor.y, extentWidth, extentHeight, opacity] { writer.put(number) }
        writer.put(fit.rawValue)
        writer.put(content)
        return writer.bytes
    }

    /// Decodes the bytes of ``wire``.
    package init(wire bytes: [UInt8]) throws(WireReader.Malformed) {
        var reader = WireReader(bytes)
        let (width, height) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
        let point = (x: try reader.double(), y: try reader.double())
        let anchor = UnitPoint(try reader.double(), try reader.double())
        let extent = (width: try reader.double(), height: try reader.double())
        let opacity = try reader.double()
        guard let fit = Fit(rawValue: try reader.integer()) else { throw WireReader.Malformed() }
        self.init(
            try reader.content(), width: Int(width), height: Int(height), point: point, anchor: anchor, extent: extent,
            fit: fit, opacity: opacity)
        guard reader.isAtEnd else { throw WireReader.Malformed() }
    }
}

/// The first byte of encoded content.
private enum ContentKind: UInt8 {
    case drawing = 1
    case text
    case picture
}

extension WireWriter {
    fileprivate mutating func put(_ content: RasterRequest.Content) {
        switch content {
        case .drawing(let svg, let style):
            put(ContentKind.drawing.rawValue)
            put(svg)
            put(style)
        case .text(let text, let style):
            put(ContentKind.text.rawValue)
            put(text)
            put(style)
        case .picture(let bytes, let tint):
            put(ContentKind.picture.rawValue)
            put(bytes)
            put(tint) { $0.put($1) }
        }
    }

    private mutating func put(_ style: DrawingStyle) {
        put(style.area) { $0.put($1.rawValue) }
        put(style.color)
        put(style.stroke)
        put(style.halo)
        put(style.haloColor)
    }

    private mutating func put(_ style: TextStyle) {
        put(style.font)
        put(style.lineHeight)
        put(style.color)
        put(style.halo)
        put(style.haloColor)
        put(style.background) { $0.put($1) }
    }

    private mutating func put(_ color: Color) {
        for channel in [color.red, color.green, color.blue, color.alpha] { put(channel) }
    }
}

extension WireReader {
    fileprivate mutating func content() throws(Malformed) -> RasterRequest.Content {
        switch ContentKind(rawValue: try integer()) {
        case .drawing: .drawing(svg: try data(), try drawingStyle())
        case .text: .text(try text(), try textStyle())
        case .picture: .picture(try data(), tint: try optional { reader throws(Malformed) in try reader.color() })
        case nil: throw Malformed()
        }
    }

    private mutating func drawingStyle() throws(Malformed) -> DrawingStyle {
        DrawingStyle(
            area: try optional { reader throws(Malformed) in try reader.area() }, color: try color(),
            stroke: try double(), halo: try double(), haloColor: try color())
    }

    private mutating func area() throws(Malformed) -> DrawingStyle.Area {
        guard let area = DrawingStyle.Area(rawValue: try integer()) else { throw Malformed() }
        return area
    }

    private mutating func textStyle() throws(Malformed) -> TextStyle {
        TextStyle(
            font: try text(), lineHeight: try double(), color: try color(), halo: try double(),
            haloColor: try color(), background: try optional { reader throws(Malformed) in try reader.color() })
    }

    private mutating func color() throws(Malformed) -> Color {
        Color(red: try double(), green: try double(), blue: try double(), alpha: try double())
    }
}
