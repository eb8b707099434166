// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor
import PipelineKit
import StillKit

/// A PNG of layers on a plain background, to show how a preview would look.
public struct LayerPicture: Sendable {
    /// The number of pixels in a row.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The color behind the layers.
    public let ground: Color
    /// `true` for a transparent background in place of ``ground``.
    public let isTransparent: Bool

    /// Creates a picture. The default background is a gray that shows light lines and dark edges.
    ///
    /// - Parameters:
    ///   - width: In pixels.
    ///   - height: In pixels. ``draw(_:appearance:by:)`` throws if GStreamer has no picture of this size.
    ///   - ground: The color behind the layers; its alpha is ignored.
    ///   - isTransparent: `true` for a transparent background in place of `ground`.
    public init(
        width: Int, height: Int, ground: Color = Color(red: 0.36, green: 0.38, blue: 0.41), isTransparent: Bool = false
    ) {
        self.width = width
        self.height = height
        self.ground = ground
        self.isTransparent = isTransparent
    }

    /// Draws layers with the same code as a preview. Texts show the time of the call.
    ///
    /// Blending and encoding take time proportional to the number of pixels. The blending runs on the caller's task.
    ///
    /// - Parameters:
    ///   - layers: The layers, from bottom to top. Ghosts, dims and letterboxes are always below all others.
    ///   - appearance: The style for properties that a layer leaves `nil`.
    ///   - rasterizer: Draws the layers, for example in a separate process (`RasterProcess`).
    ///   - format: The format of the file; JPEG has no transparency.
    /// - Returns: The bytes of the file.
    /// - Throws: `CaptureError` `.usage` for an impossible size; the error of the first layer that cannot be drawn,
    ///   such as `.noInput` if its file is missing; `.software` if there is no memory for the picture; and the errors
    ///   of the encoder.
    public func draw(
        _ layers: [Layer], appearance: Style = Style(), by rasterizer: any Rasterizer, as format: StillFormat = .png
    ) async throws(CaptureError) -> [UInt8] {
        let info = try info("RGB")
        let plan = try await plan(layers, appearance, rasterizer, info)
        let frame = isTransparent ? try transparentFrame(plan, info) : try frame(plan, info, on: ground)
        let encoder = StillEncoder(format: format, quality: format == .png ? 100 : 92, orientation: .upright)
        defer { encoder.close() }
        return try await encoder.encode(Sample(frame, caps: try self.info(isTransparent ? "RGBA" : "RGB").caps)).bytes
    }

    /// Writes a picture durably to a file, or to standard output if the path is `-`.
    ///
    /// Blocks until the picture is on disk, or written to standard output: call it on a thread that may block.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file, such as a PNG of ``draw(_:appearance:by:)``.
    ///   - path: The path of the file. Missing folders are created.
    ///   - overwriting: `true` to replace a file that exists.
    /// - Throws: `CaptureError` with the path; also if the file exists and `overwriting` is `false`.
    public static func store(_ bytes: [UInt8], at path: String, overwriting: Bool) throws(CaptureError) {
        if path == "-" { return try StillStore.writeToStandardOutput(bytes) }
        try StillStore.checkName(path)
        guard overwriting || !DeviceFiles.exists(path) else {
            throw CaptureError(
                .cannotCreate, "exists already", subject: path, advice: "use --overwrite, or another name")
        }
        try StillStore(overwrites: overwriting, latest: nil).write(bytes, to: path)
    }

    private func info(_ format: String) throws(CaptureError) -> VideoInfo {
        do throws(PipelineError) {
            return try VideoInfo(format: format, width: width, height: height)
        } catch {
            throw CaptureError(.usage, error.message, advice: "give a size such as 1280x720")
        }
    }

    private func plan(
        _ layers: [Layer], _ appearance: Style, _ rasterizer: any Rasterizer, _ info: VideoInfo
    ) async throws(CaptureError) -> OverlayPlan {
        do throws(OverlayError) {
            let contents = OverlayContents(layers, appearance: appearance)
            let result = try await OverlayPlanner(rasterizer).plan(contents, at: Int(WallTime.now().seconds), for: info)
            if let failure = result.failures.first { throw failure.error }
            return result.plan
        } catch {
            throw CaptureError(error)
        }
    }

    private func frame(_ plan: OverlayPlan, _ info: VideoInfo, on ground: Color) throws(CaptureError) -> Buffer {
        try makeFrame(info) { draw(plan, on: ground, into: &$0) }
    }

    private func draw(_ plan: OverlayPlan, on ground: Color, into frame: inout WritableVideoFrame) {
        fill(&frame, ground)
        plan.blend(into: &frame)
    }

    /// Draws the layers on black and on white. The difference of both is the transparency: over a background, a pixel of
    /// color `c` and opacity `a` is `c·a + ground·(1 - a)`.
    private func transparentFrame(_ plan: OverlayPlan, _ info: VideoInfo) throws(CaptureError) -> Buffer {
        let black = try pixels(plan, info, on: Color(red: 0, green: 0, blue: 0))
        let white = try pixels(plan, info, on: Color(red: 1, green: 1, blue: 1))
        return try makeFrame(try self.info("RGBA")) { frame in
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeMutableBytes { bytes in
                    for pixel in 0..<(width * height) {
                        let (from, row) = (3 * pixel, pixel / width)
                        let to = row * layout.stride + 4 * (pixel - row * width)
                        let clear = (0..<3).map { Int(white[from + $0]) - Int(black[from + $0]) }.max() ?? 0
                        let opacity = 255 - min(max(clear, 0), 255)
                        for channel in 0..<3 {
                            let value = opacity == 0 ? 0 : (Int(black[from + channel]) * 255 + opacity / 2) / opacity
                            bytes[to + channel] = UInt8(min(value, 255))
                        }
                        bytes[to + 3] = UInt8(opacity)
                    }
                }
            }
        }
    }

    /// Returns the pixels of the layers on a color: three bytes each, row by row.
    private func pixels(_ plan: OverlayPlan, _ info: VideoInfo, on ground: Color) throws(CaptureError) -> [UInt8] {
        var pixels: [UInt8] = []
        _ = try makeFrame(info) { frame in
            draw(plan, on: ground, into: &frame)
            frame.withPlane(0) { bytes, layout in
                bytes.withUnsafeMutableBytes { bytes in
                    for row in 0..<layout.rows {
                        pixels += bytes[row * layout.stride..<row * layout.stride + 3 * width]
                    }
                }
            }
        }
        return pixels
    }

    private func makeFrame(
        _ info: VideoInfo, _ draw: (inout WritableVideoFrame) -> Void
    ) throws(CaptureError) -> Buffer {
        do {
            return try FramePool(info).makeFrame(draw)
        } catch {
            throw CaptureError(.software, "no memory for a picture of \(width)x\(height): \(error)")
        }
    }

    private func fill(_ frame: inout WritableVideoFrame, _ ground: Color) {
        let pixel = [ground.red, ground.green, ground.blue].map { UInt8(($0 * 255).rounded()) }
        frame.withPlane(0) { bytes, layout in
            bytes.withUnsafeMutableBytes { bytes in
                for row in 0..<layout.rows {
                    for column in 0..<layout.rowBytes { bytes[row * layout.stride + column] = pixel[column % 3] }
                }
            }
        }
    }
}
