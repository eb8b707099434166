// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// The pixels of a contact sheet: Y'CbCr with the levels of JPEG and all chroma.
struct SheetPage: Sendable {
    /// The gray of the paper, of the edges of pictures, and of texts.
    static let paper: UInt8 = 24
    private static let edge: UInt8 = 58
    private static let neutral: UInt8 = 128

    private let info: VideoInfo
    private let planes: [PlaneLayout]
    private var samples: [UInt8]

    /// - Throws: `PipelineError` if the size is impossible.
    init(_ size: FrameSize) throws(PipelineError) {
        info = try FrameLoader.info("Y444", size)
        planes = [info.plane(0), info.plane(1), info.plane(2)].compactMap(\.self)
        samples = [UInt8](repeating: Self.neutral, count: info.byteCount)
        fill(CropRectangle(x: 0, y: 0, width: size.width, height: size.height), Self.paper)
    }

    /// Draws a picture with a fine edge, without which a dark picture has no shape on dark paper.
    ///
    /// - Parameters:
    ///   - frame: A frame whose top left part is the picture.
    ///   - place: The place of the picture on the sheet, with the size of the part.
    mutating func draw(_ frame: Buffer, _ info: VideoInfo, at place: CropRectangle) throws {
        fill(CropRectangle(x: place.x - 1, y: place.y - 1, width: place.width + 2, height: place.height + 2), Self.edge)
        let planes = planes
        try frame.withVideoFrame(info) { frame in
            for (index, plane) in planes.enumerated() {
                frame.withPlane(index) { bytes, layout in
                    bytes.withUnsafeBytes { bytes in
                        for row in 0..<min(place.height, layout.rows) {
                            let start = row * layout.stride
                            let target = plane.offset + (place.y + row) * plane.stride + place.x
                            samples.withUnsafeMutableBytes { samples in
                                UnsafeMutableRawBufferPointer(rebasing: samples[target..<target + place.width])
                                    .copyMemory(from: .init(rebasing: bytes[start..<start + place.width]))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Draws a text, whose letters are gray.
    mutating func draw(_ text: RasterImage) {
        guard let luma = planes.first else { return }
        for row in 0..<text.height where (0..<info.height).contains(text.y + row) {
            let start = luma.offset + (text.y + row) * luma.stride
            for column in 0..<text.width where (0..<info.width).contains(text.x + column) {
                let pixel = text.pixels[row * text.width + column]
                let (alpha, gray) = (pixel >> 24, pixel & 0xFF)
                let under = UInt32(samples[start + text.x + column])
                samples[start + text.x + column] = UInt8(min(255, gray + (under * (255 - alpha) + 127) / 255))
            }
        }
    }

    /// Returns the sheet as a frame for an encoder.
    func sample() throws -> Sample {
        let buffer = try Buffer(count: info.byteCount, presentationTime: nil) { memory in
            samples.withUnsafeBytes { memory.copyMemory(from: $0) }
        }
        return Sample(buffer, caps: info.caps)
    }

    private mutating func fill(_ area: CropRectangle, _ gray: UInt8) {
        guard let luma = planes.first else { return }
        for row in area.y..<area.y + area.height {
            let start = luma.offset + row * luma.stride + area.x
            for place in start..<start + area.width { samples[place] = gray }
        }
    }
}
