// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit

/// Decodes pictures into frames of a film: upright, scaled, with the levels of video, and with the time if it is burnt in.
///
/// Any number of tasks may load pictures at the same time; the memory in which they decode comes from ``DecodingMemory``.
package struct FrameLoader: Sendable {
    /// The most bytes of a picture's file.
    private static let mostBytes = 256 << 20
    /// Pictures have the full levels and the matrix of JFIF, and the primaries of sRGB.
    private static let pictureColor = "1:4:7:1"
    /// The same colors with the levels of video.
    private static let filmColor = "2:4:7:1"

    /// The format of the frames.
    let info: VideoInfo
    private let film: FrameSize
    private let pool: FramePool
    private let stamp: FilmStamp?

    /// Creates a loader.
    ///
    /// - Parameter stamp: The time that is burnt in; `nil` for none.
    /// - Throws: `PipelineError` if there is no memory for a frame.
    init(_ film: FrameSize, _ rate: Fraction, stamp: FilmStamp?) throws(PipelineError) {
        info = try Self.info("I420", film, color: Self.filmColor, rate: rate)
        (self.film, self.stamp) = (film, stamp)
        // Frames have the colors of pictures until their levels are reduced: a conversion must not reduce them, too.
        pool = try FramePool(try Self.info("I420", film))
    }

    /// Loads a picture.
    ///
    /// - Parameter gain: The factor of its brightness.
    /// - Throws: ``CaptureError`` if the picture cannot be read, or is damaged; `temporary` if the task is canceled.
    func load(_ frame: FilmPlan.Frame, gain: Double) async throws(CaptureError) -> Buffer {
        let plan = try await stamp?.plan(for: frame.picture, info)
        let file = try await CancelFlag.run { (_) throws(CaptureError) in try Self.open(frame.picture) }
        let claim = try await DecodingMemory.shared.claim(Self.memory(for: file))
        defer { withExtendedLifetime(claim) {} }
        return try await CancelFlag.run { (flag) throws(CaptureError) in
            try decode(file, frame, FilmLevels(gain: gain), plan, until: flag)
        }
    }

    /// Measures the level of a picture.
    static func level(of picture: FilmPicture) async throws(CaptureError) -> Double {
        let file = try await CancelFlag.run { (_) throws(CaptureError) in try open(picture) }
        let claim = try await DecodingMemory.shared.claim(file.workBytes + (1 << 20))
        defer { withExtendedLifetime(claim) {} }
        return try await CancelFlag.run { (flag) throws(CaptureError) in
            try PictureLevel.measure(file, until: flag)
        }
    }

    /// Reads a file and its head.
    ///
    /// - Parameter opener: Opens the file; `nil` to open it by its path.
    static func open(_ picture: FilmPicture, by opener: PictureOpener? = nil) throws(CaptureError) -> PictureFile {
        let bytes: [UInt8]
        let file = if let opener { try opener(picture.path) } else { try picture.open() }
        do throws(RegularFile.Failure) {
            bytes = try file.bytes(most: mostBytes)
        } catch {
            throw CaptureError(error, picture.path)
        }
        guard bytes.count < mostBytes else { throw CaptureError(.noInput, "is larger than \(mostBytes >> 20) MiB") }
        // The file can have changed since its head was read.
        guard let head = PictureHead(bytes) else {
            throw CaptureError(.noInput, "is neither a JPEG nor a PNG picture")
        }
        return try PictureFile(bytes, head.format)
    }

    /// The memory of a picture's pixels, of the upright copy, and of the decoder.
    private static func memory(for file: PictureFile) -> Int { file.width * file.height * 8 + file.workBytes }

    /// Returns the format of frames with square pixels.
    static func info(
        _ format: String, _ size: FrameSize, color: String = pictureColor, rate: Fraction = Fraction(1, 1)
    ) throws(PipelineError) -> VideoInfo {
        let caps = try Caps(
            "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),framerate=\(rate),"
                + "pixel-aspect-ratio=1/1,interlace-mode=progressive"
                + (format == "RGBA" ? ",colorimetry=1:1:7:1" : ",colorimetry=\(color)"))
        guard let info = VideoInfo(caps) else {
            throw PipelineError(.syntax, "not a video format: \(format) at \(size)")
        }
        return info
    }
}

// MARK: - Decoding

extension FrameLoader {
    /// Checks that a file still has the size that its head had.
    static func checkSize(of file: PictureFile, _ picture: FilmPicture) throws(CaptureError) {
        let stored = FrameSize(width: file.width, height: file.height)
        guard (picture.orientation.swapsAxes ? stored.turned : stored) == picture.size else {
            throw CaptureError(.inputOutput, "was changed meanwhile")
        }
    }

    private func decode(
        _ file: PictureFile, _ frame: FilmPlan.Frame, _ levels: FilmLevels, _ plan: OverlayPlan?, until flag: CancelFlag
    ) throws(CaptureError) -> Buffer {
        try Self.checkSize(of: file, frame.picture)
        let stored = FrameSize(width: file.width, height: file.height)
        let orientation = frame.picture.orientation
        do {
            let isDirect =
                file.planeFormat == "I420" && orientation == .upright
                && frame.geometry.isIdentity(of: stored, film: film)
            let pixels = isDirect ? nil : try Pixels(file, frame, until: flag)
            return try pool.makeFrame { output in
                if let pixels {
                    // The converter's own borders have the levels of video.
                    if pixels.geometry.hasBars(on: film) { FilmLevels.blacken(&output) }
                    try pixels.buffer.withVideoFrame(pixels.info) { input in
                        try output.fill(with: input, from: pixels.geometry.source, into: pixels.geometry.place)
                    }
                } else {
                    try file.decode(into: &output, until: flag)
                }
                levels.apply(to: &output)
                plan?.blend(into: &output)
            }
        } catch let error as CaptureError {
            throw error
        } catch {
            throw CaptureError(.inputOutput, "cannot be converted: \(error)")
        }
    }
}

/// A decoded picture, upright, at its size or at a fraction of that.
struct Pixels {
    let buffer: Buffer
    let info: VideoInfo
    /// The geometry for the size of these pixels.
    let geometry: FilmGeometry

    init(_ file: PictureFile, _ frame: FilmPlan.Frame, until flag: CancelFlag) throws {
        let divisor = Self.divisor(file, frame)
        let stored = FrameSize(
            width: (file.width + divisor - 1) / divisor, height: (file.height + divisor - 1) / divisor)
        // Chroma of half the width would have half the height after a turn, which no common format has.
        let isTurnable = !frame.picture.orientation.swapsAxes || file.planeFormat.map { !$0.hasPrefix("Y4") } ?? false
        let format = divisor == 1 && (isTurnable || file.planeFormat == "Y444") ? file.planeFormat ?? "RGBA" : "RGBA"
        let info = try FrameLoader.info(format, stored)
        let buffer = try Buffer(count: info.byteCount, presentationTime: nil) { memory in
            if format == "RGBA" {
                try Self.decodeColors(file, divisor, into: memory, until: flag)
            } else {
                try Self.decodePlanes(file, info, into: memory, until: flag)
            }
        }
        let shown = frame.picture.orientation.swapsAxes ? stored.turned : stored
        geometry = frame.geometry.scaled(from: frame.picture.size, to: shown)
        if frame.picture.orientation == .upright {
            (self.buffer, self.info) = (buffer, info)
        } else {
            let turned = try FrameLoader.info(format, shown)
            self.buffer = try Self.turned(buffer, info, turned, frame.picture.orientation)
            self.info = turned
        }
    }

    /// Returns the memory of the pixels, of the upright copy, and of the decoder.
    static func byteCount(_ file: PictureFile, _ frame: FilmPlan.Frame) -> Int {
        let divisor = divisor(file, frame)
        return (file.width / divisor + 1) * (file.height / divisor + 1) * 8 + file.workBytes
    }

    /// Returns the largest fraction at which a JPEG still has the pixels of its place on the film.
    private static func divisor(_ file: PictureFile, _ frame: FilmPlan.Frame) -> Int {
        guard file.format == .jpeg else { return 1 }
        let (source, place) = (frame.geometry.source, frame.geometry.place)
        return [8, 4, 2].first { source.width / $0 >= place.width && source.height / $0 >= place.height } ?? 1
    }

    private static func decodePlanes(
        _ file: PictureFile, _ info: VideoInfo, into memory: UnsafeMutableRawBufferPointer, until flag: CancelFlag
    ) throws(CaptureError) {
        guard let start = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let planes = (0..<info.planeCount).compactMap { info.plane($0) }.map { layout in
            (start: start + layout.offset, stride: layout.stride)
        }
        try file.decodePlanes(into: planes, isStrict: true, until: flag)
    }

    private static func decodeColors(
        _ file: PictureFile, _ divisor: Int, into memory: UnsafeMutableRawBufferPointer, until flag: CancelFlag
    ) throws(CaptureError) {
        let (pixels, hasAlpha) = (memory.bindMemory(to: SIMD4<UInt8>.self), file.hasAlpha)
        try file.decode(divisor: divisor, isStrict: true, until: flag) { row, y in
            let start = y * row.count
            guard start + row.count <= pixels.count else { return }
            for x in 0..<row.count { pixels[start + x] = hasAlpha ? opaque(row[x]) : row[x] }
        }
    }

    /// Returns a pixel on black.
    private static func opaque(_ pixel: SIMD4<UInt8>) -> SIMD4<UInt8> {
        let alpha = UInt16(pixel.w)
        func blended(_ value: UInt8) -> UInt8 { UInt8((UInt16(value) * alpha + 127) / 255) }
        return SIMD4(blended(pixel.x), blended(pixel.y), blended(pixel.z), 255)
    }

    private static func turned(
        _ buffer: Buffer, _ info: VideoInfo, _ turned: VideoInfo, _ orientation: Orientation
    ) throws -> Buffer {
        try Buffer(count: turned.byteCount, presentationTime: nil) { memory in
            guard let target = memory.baseAddress else { return }
            try buffer.withBytes { span in
                try span.withUnsafeBytes { bytes in
                    guard let source = bytes.baseAddress else { return }
                    for plane in 0..<info.planeCount {
                        guard let from = info.plane(plane), let to = turned.plane(plane) else {
                            throw PipelineError(.map, "a frame of \(info.caps) has no planes")
                        }
                        let size = info.format == "RGBA" ? 4 : 1
                        let turn = PlaneTurn(width: from.rowBytes / size, height: from.rows, orientation)
                        let (start, end) = (source + from.offset, target + to.offset)
                        if size == 4 {
                            turn.apply(
                                from: start.assumingMemoryBound(to: UInt32.self), from.stride / 4,
                                to: end.assumingMemoryBound(to: UInt32.self), to.stride / 4)
                        } else {
                            turn.apply(
                                from: start.assumingMemoryBound(to: UInt8.self), from.stride,
                                to: end.assumingMemoryBound(to: UInt8.self), to.stride)
                        }
                    }
                }
            }
        }
    }
}

extension PictureFile {
    /// Decodes a JPEG of 4:2:0 into a frame of the same size.
    fileprivate func decode(into frame: inout WritableVideoFrame, until flag: CancelFlag) throws {
        var planes: [Plane] = []
        for index in 0..<3 {
            // The frame stays mapped until the end of this call.
            let plane = frame.withPlane(index) { bytes, layout in
                bytes.withUnsafeMutableBytes { ($0.baseAddress, layout.stride) }
            }
            guard let plane, let start = plane.0 else { throw PipelineError(.map, "a frame cannot be written") }
            planes.append((start.assumingMemoryBound(to: UInt8.self), plane.1))
        }
        try decodePlanes(into: planes, isStrict: true, until: flag)
    }
}
