// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit

/// Decodes stills, and encodes crops with the same GStreamer elements that encode stills. Loops over pixels run on
/// threads of Dispatch, and not on the caller's actor.
package enum StillCoding {
    /// The most pixels of a picture that is decoded, as a small file can claim a huge one. Cameras have up to 108 million.
    /// ``DecodingMemory`` allows fewer on most machines.
    static let mostPixels = 120_000_000

    /// The most memory in bytes that a crop of a picture takes: the picture, the outline's shape, and the crop. The picture
    /// is released before the crop is encoded.
    private static func cropBytes(ofPictureOf pixels: Int) -> Int {
        pixels * 8 + OutlineShape.mostBytes(onPictureOf: pixels)
    }

    private static func memory(forCropOf file: PictureFile) -> Int {
        cropBytes(ofPictureOf: file.width * file.height) + file.workBytes
    }

    /// Decodes a file, and turns the picture upright by its tags.
    ///
    /// - Parameter isStrict: `true` to refuse a JPEG with damaged parts. Frames of a camera may have some.
    /// - Throws: ``CaptureError`` if the file is damaged, too large, or of an unsupported format; `.temporary` if too
    ///   many pictures are being decoded.
    package static func pixels(
        of bytes: [UInt8], _ format: StillFormat, isStrict: Bool = true
    ) async throws(CaptureError) -> StillPixels {
        try await decode(bytes, format, ExifBlock(ofFile: bytes, format)?.orientation ?? .upright, isStrict: isStrict)
    }

    /// Decodes a file, and turns the picture upright. The picture holds memory of ``DecodingMemory`` for itself and for a
    /// crop of it.
    ///
    /// - Throws: The errors of ``pixels(of:_:isStrict:)``.
    static func decode(
        _ bytes: [UInt8], _ format: StillFormat, _ orientation: Orientation, isStrict: Bool = true
    ) async throws(CaptureError) -> StillPixels {
        let file = try await open(bytes, format)
        let claim = try await DecodingMemory.shared.claim(memory(forCropOf: file))
        var picture = try await CancelFlag.run { (flag) throws(CaptureError) in
            try StillPixels(file, orientation, isStrict: isStrict, until: flag)
        }
        picture.memory = claim
        return picture
    }

    /// Decodes a file completely without keeping its pixels, if the budget has room for a crop of it.
    ///
    /// - Throws: The errors of ``pixels(of:_:isStrict:)``.
    package static func check(_ bytes: [UInt8], _ format: StillFormat) async throws(CaptureError) {
        let file = try await open(bytes, format)
        try DecodingMemory.shared.checkRoom(for: memory(forCropOf: file))
        let claim = try await DecodingMemory.shared.claim(file.workBytes + file.width * 4)
        defer { withExtendedLifetime(claim) {} }
        try await CancelFlag.run { (flag) throws(CaptureError) in
            try file.decode(isStrict: true, until: flag) { _, _ in }
        }
    }

    /// Reads the header of a file.
    ///
    /// - Throws: The errors of ``size(of:_:)`` and of ``PictureFile``.
    static func open(_ bytes: [UInt8], _ format: StillFormat) async throws(CaptureError) -> PictureFile {
        try await BlockingWork.run { () throws(CaptureError) in
            _ = try size(of: bytes, format)
            return try PictureFile(bytes, format)
        }
    }

    /// Returns the pixels of a raw frame, turned upright; `nil` for a compressed frame.
    ///
    /// - Throws: ``CaptureError`` if the frame is cut off or cannot be converted.
    package static func pixels(
        ofRaw frame: Sample, _ orientation: Orientation
    ) async throws(CaptureError) -> StillPixels? {
        guard let caps = frame.caps, caps.videoInfo != nil else { return nil }
        try frame.checkWhole()
        let line = try await EncoderLine(EncoderDescription(toPixels: orientation), caps)
        defer { line.close() }
        let converted = try await line.encode(frame)
        do {
            var picture = try await BlockingWork.run { try pixels(of: converted) }
            picture.memory = DecodingMemory.shared.claimAtOnce(cropBytes(ofPictureOf: picture.pixels.count))
            return picture
        } catch {
            throw CaptureError(.inputOutput, "a frame cannot be read: \(error)")
        }
    }

    /// Encodes a picture. In JPEG, which has no alpha, transparent pixels show their color.
    package static func encode(
        _ picture: StillPixels, _ format: StillFormat, quality: Int
    ) async throws(CaptureError) -> [UInt8] {
        let encoder = StillEncoder(format: format, quality: quality, orientation: .upright)
        defer { encoder.close() }
        let sample = try await BlockingWork.run { () throws(CaptureError) in try frame(of: picture, for: format) }
        return try await encoder.encode(sample).bytes
    }

    /// Returns the size in pixels that the file states, before it is turned upright.
    ///
    /// - Throws: ``CaptureError`` if the file is damaged, too large, or of an unsupported format.
    static func size(of bytes: [UInt8], _ format: StillFormat) throws(CaptureError) -> (width: Int, height: Int) {
        let size: (width: Int, height: Int)?
        switch format {
        case .jpeg: size = (try? JPEGPicture(bytes)).map { ($0.width, $0.height) }
        case .png: size = PNGChunks(bytes).size
        case .webp, .raw:
            throw CaptureError(.usage, "\(format.rawValue) cannot be cropped", advice: "give a JPEG or PNG file")
        }
        guard let size else { throw damaged(format) }
        guard size.width > 0, size.height > 0, size.width <= mostPixels / size.height else {
            throw CaptureError(
                .noInput, "cannot be cropped: it has \(size.width)x\(size.height) pixels",
                subject: StillCropper.stillSubject, advice: "use at most \(mostPixels / 1_000_000) million pixels")
        }
        return size
    }

    private static func damaged(_ format: StillFormat) -> CaptureError {
        CaptureError(
            .inputOutput, "is not a complete \(format == .jpeg ? "JPEG" : "PNG") picture",
            subject: StillCropper.stillSubject)
    }

    private static func pixels(of sample: Sample) throws -> StillPixels {
        guard let buffer = sample.buffer, let info = sample.caps?.videoInfo else {
            throw PipelineError(.map, "the picture has no pixels")
        }
        let pixels = try buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeBytes { Self.pixels($0, layout, width: info.width) }
            }
        }
        guard let pixels, pixels.count == info.width * info.height else {
            throw PipelineError(.map, "the picture is incomplete")
        }
        return StillPixels(width: info.width, height: info.height, pixels: pixels)
    }

    /// Copies row by row, because rows may be padded.
    private static func pixels(
        _ bytes: UnsafeRawBufferPointer, _ layout: PlaneLayout, width: Int
    ) -> [SIMD4<UInt8>] {
        let count = width * layout.rows
        guard bytes.count >= (layout.rows - 1) * layout.stride + width * 4 else { return [] }
        return [SIMD4<UInt8>](unsafeUninitializedCapacity: count) { pixels, initialized in
            let target = UnsafeMutableRawBufferPointer(pixels)
            for row in 0..<layout.rows {
                let source = UnsafeRawBufferPointer(
                    rebasing: bytes[row * layout.stride..<row * layout.stride + width * 4])
                UnsafeMutableRawBufferPointer(rebasing: target[(row * width * 4)...]).copyMemory(from: source)
            }
            initialized = count
        }
    }

    /// Returns the picture as a frame for the encoder; with alpha if the format has it and a pixel is not opaque.
    private static func frame(of picture: StillPixels, for format: StillFormat) throws(CaptureError) -> Sample {
        let hasAlpha = format.hasTransparency && picture.pixels.contains { $0.w < 255 }
        do {
            return try frame(of: picture, hasAlpha ? "RGBA" : "RGB")
        } catch {
            throw CaptureError(.software, "no memory for a picture of \(picture.width)x\(picture.height): \(error)")
        }
    }

    static func frame(of picture: StillPixels, _ format: String) throws -> Sample {
        let info = try VideoInfo(format: format, width: picture.width, height: picture.height)
        let components = format == "RGBA" ? 4 : 3
        let buffer = try FramePool(info).makeFrame { frame in
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeMutableBytes { bytes in
                    for row in 0..<picture.height {
                        for column in 0..<picture.width {
                            let pixel = picture.pixels[row * picture.width + column]
                            let place = row * layout.stride + column * components
                            for component in 0..<components { bytes[place + component] = pixel[component] }
                        }
                    }
                }
            }
        }
        return Sample(buffer, caps: info.caps)
    }
}
