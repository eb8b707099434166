// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import StillKit
import SystemBase
import Testing

/// A picture with access to single pixels, simple enough to be trusted.
package struct RGBPicture: Equatable {
    /// Red, green, blue.
    package typealias Pixel = SIMD3<UInt8>

    package let width: Int
    package let height: Int
    /// The pixels, row by row.
    package let pixels: [Pixel]

    package init(width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> Pixel) {
        self.width = width
        self.height = height
        pixels = (0..<height).flatMap { y in (0..<width).map { x in pixel(x, y) } }
    }

    /// A picture in which no two pixels are the same, up to 80 by 80.
    package static func distinct(_ width: Int, _ height: Int) -> RGBPicture {
        RGBPicture(width: width, height: height) {
            Pixel(UInt8($0 * 3), UInt8($1 * 3), UInt8(($0 * 7 + $1 * 13) % 256))
        }
    }

    package subscript(x: Int, y: Int) -> Pixel { pixels[y * width + x] }

    /// The picture turned by 90 degrees clockwise: its top becomes the right side.
    package var turnedClockwise: RGBPicture {
        RGBPicture(width: height, height: width) { x, y in self[y, height - 1 - x] }
    }

    package func turned(_ rotation: Rotation) -> RGBPicture {
        (0..<rotation.rawValue / 90).reduce(self) { picture, _ in picture.turnedClockwise }
    }

    package func mirrored(_ flip: Flip) -> RGBPicture {
        RGBPicture(width: width, height: height) { x, y in
            switch flip {
            case .none: self[x, y]
            case .horizontal: self[width - 1 - x, y]
            case .vertical: self[x, height - 1 - y]
            }
        }
    }

    /// The picture as a viewer shows it that reads the tag: EXIF states on which side row 0 and column 0 are seen.
    package func shown(byExif orientation: Int) -> RGBPicture {
        let (width, height) = orientation >= 5 ? (height, width) : (width, height)
        return RGBPicture(width: width, height: height) { x, y in
            let (right, bottom) = (width - 1 - x, height - 1 - y)
            // Distances from the sides where row 0 and column 0 are seen.
            return switch orientation {
            case 2: self[right, y]  // top, right
            case 3: self[right, bottom]  // bottom, right
            case 4: self[x, bottom]  // bottom, left
            case 5: self[y, x]  // left, top
            case 6: self[y, right]  // right, top
            case 7: self[bottom, right]  // right, bottom
            case 8: self[bottom, x]  // left, bottom
            default: self[x, y]  // top, left
            }
        }
    }

    /// A frame of the picture, as RGB.
    package func sample() throws -> Sample {
        let info = try VideoInfo(format: "RGB", width: width, height: height)
        let plane = try #require(info.plane(0))
        var bytes = [UInt8](repeating: 0, count: info.byteCount)
        for y in 0..<height {
            for x in 0..<width {
                for index in 0..<3 { bytes[y * plane.stride + x * 3 + index] = self[x, y][index] }
            }
        }
        return Sample(try Buffer(bytes, presentationTime: .zero), caps: info.caps)
    }

    /// A frame of one flat color, that of the first pixel, in an 8-bit YCbCr format.
    package func sample(_ info: VideoInfo) throws -> Sample {
        let weights: (red: Double, blue: Double) = info.hasBT601Matrix ? (0.299, 0.114) : (0.2126, 0.0722)
        let color = SIMD3<Double>(self[0, 0]) / 255
        let luma = weights.red * color[0] + weights.blue * color[2] + (1 - weights.red - weights.blue) * color[1]
        let (blue, red) = ((color[2] - luma) / 2 / (1 - weights.blue), (color[0] - luma) / 2 / (1 - weights.red))
        let (gain, chromaGain) = info.isFullRange ? (255.0, 255.0) : (219.0, 224.0)
        let y = UInt8(((info.isFullRange ? 0 : 16) + luma * gain).rounded())
        let (cb, cr) = (UInt8((128 + blue * chromaGain).rounded()), UInt8((128 + red * chromaGain).rounded()))
        var bytes: [UInt8] = []
        for index in 0..<info.planeCount {
            let pattern: [UInt8] =
                switch (info.format, index) {
                case ("YUY2", _): [y, cb, y, cr]
                case (_, 0): [y]
                case ("I420", 1), ("Y444", 1): [cb]
                case ("I420", _), ("Y444", _): [cr]
                default: [cb, cr]
                }
            let plane = try #require(info.plane(index))
            bytes += [UInt8](repeating: y, count: max(0, plane.offset - bytes.count))
            bytes += (0..<plane.stride * plane.rows).map { pattern[$0 % pattern.count] }
        }
        return Sample(try Buffer(bytes, presentationTime: .zero), caps: info.caps)
    }

    /// Reads an RGB frame.
    package init(_ sample: Sample) throws {
        let info = try #require(sample.caps?.videoInfo)
        try self.init(#require(sample.buffer).bytes(), info)
    }

    package init(_ bytes: [UInt8], _ info: VideoInfo) throws {
        try #require(info.format == "RGB")
        let stride = try #require(info.plane(0)).stride
        self.init(width: info.width, height: info.height) { x, y in
            let start = y * stride + x * 3
            return Pixel(bytes[start], bytes[start + 1], bytes[start + 2])
        }
    }

    /// Decodes a file with GStreamer.
    package init(decoding bytes: [UInt8], _ format: StillFormat) async throws {
        let decoder =
            switch format {
            case .png: "pngdec"
            case .webp: "webpdec"
            default: "jpegdec"
            }
        let name = format == .jpeg ? "jpeg" : format.rawValue
        let frame = Sample(try Buffer(bytes, presentationTime: .zero), caps: try Caps("image/\(name)"))
        let decoded = try await frame.through("\(decoder) ! videoconvert ! video/x-raw,format=RGB")
        try self.init(decoded)
    }
}

extension RGBPicture.Pixel {
    /// The largest difference of red, green and blue.
    package func distance(to other: Self) -> Int {
        Int((pointwiseMax(self, other) &- pointwiseMin(self, other)).max())
    }
}

extension Sample {
    /// The frame after processing by the elements.
    package func through(_ elements: String) async throws -> Sample {
        let pipeline = try Pipeline("appsrc name=in ! \(elements) ! appsink name=out sync=false")
        let source = try AppSource(named: "in", in: pipeline)
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(2))
        defer { pipeline.stopSoon() }
        try await pipeline.play()
        try source.push(self)
        try source.endStream()
        let result = try await sink.nextSample()
        try await pipeline.stop()
        return try #require(result)
    }

    /// A frame of a pipeline with test sources.
    package static func made(by elements: String) async throws -> Sample {
        let pipeline = try Pipeline("\(elements) ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(1))
        try await pipeline.play()
        let result = try await sink.nextSample()
        try await pipeline.stop()
        return try #require(result)
    }
}
