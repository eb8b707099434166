// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// The answer of the process that draws.
package struct RasterAnswer {
    package let result: Result<RasterImage, OverlayError>

    package init(_ result: Result<RasterImage, OverlayError>) { self.result = result }

    /// The answer, encoded for the socket.
    package var wire: [UInt8] {
        var writer = WireWriter()
        switch result {
        case .success(let image):
            writer.put(true)
            for number in [image.x, image.y, image.width, image.height] { writer.put(UInt32(clamping: number)) }
            writer.put(image.pixels)
        case .failure(let error):
            writer.put(false)
            writer.put(UInt8(clamping: Self.codes.firstIndex(of: error.code) ?? Self.codes.count))
            writer.put(error.message)
            writer.put(error.advice) { $0.put($1) }
        }
        return writer.bytes
    }

    /// Decodes the bytes of ``wire``. A drawing may have taken over the process that sent them: an image that extends
    /// beyond the request's frame, or is not premultiplied, is malformed. The texts of an error, which terminals print,
    /// are cut to 400 Unicode scalars, and lose control characters.
    package init(wire bytes: [UInt8], to request: RasterRequest) throws(WireReader.Malformed) {
        var reader = WireReader(bytes)
        result = try reader.bool() ? .success(try reader.image(for: request)) : .failure(try reader.error())
        guard reader.isAtEnd else { throw WireReader.Malformed() }
    }

    fileprivate static let codes: [OverlayError.Code] = [
        .noInput, .permission, .damaged, .tooMuch, .format, .rasterizer,
    ]

    fileprivate static let mostScalars = 400
}

extension WireReader {
    fileprivate mutating func image(for request: RasterRequest) throws(Malformed) -> RasterImage {
        let (x, y) = (Int(try integer(UInt32.self)), Int(try integer(UInt32.self)))
        let (width, height) = (Int(try integer(UInt32.self)), Int(try integer(UInt32.self)))
        let pixels = try pixels()
        guard x + width <= request.width, y + height <= request.height, pixels.count == width * height,
            pixels.allSatisfy(Self.isPremultiplied)
        else { throw Malformed() }
        return RasterImage(x: x, y: y, width: width, height: height, pixels: pixels)
    }

    fileprivate mutating func error() throws(Malformed) -> OverlayError {
        let code = Int(try integer(UInt8.self))
        guard code < RasterAnswer.codes.count else { throw Malformed() }
        return OverlayError(
            RasterAnswer.codes[code], try line(),
            advice: try optional { reader throws(Malformed) in try reader.line() })
    }

    private mutating func line() throws(Malformed) -> String {
        String(try text().unicodeScalars.prefix(RasterAnswer.mostScalars)).withoutControls
    }

    private static func isPremultiplied(_ pixel: UInt32) -> Bool {
        let alpha = pixel >> 24
        return pixel >> 16 & 0xFF <= alpha && pixel >> 8 & 0xFF <= alpha && pixel & 0xFF <= alpha
    }
}
