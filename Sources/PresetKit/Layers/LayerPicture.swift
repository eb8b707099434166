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

    /// Creates a picture. The default background is a gray that shows light lines and dark edges.
    public init(width: Int, height: Int, ground: Color = Color(red: 0.36, green: 0.38, blue: 0.41)) {
        self.width = width
        self.height = height
        self.ground = ground
    }

    /// Draws layers with the same code as a preview.
    ///
    /// - Returns: A PNG file.
    /// - Throws: `CaptureError` for the first layer that cannot be drawn.
    public func draw(
        _ layers: [Layer], appearance: Style = Style(), by rasterizer: any Rasterizer
    ) async throws(CaptureError) -> [UInt8] {
        let info = try info()
        let plan = try await plan(layers, appearance, rasterizer, info)
        let frame = try frame(plan, info)
        let encoder = StillEncoder(format: .png, quality: 100, orientation: .upright)
        defer { encoder.close() }
        return try await encoder.encode(Sample(frame, caps: info.caps)).bytes
    }

    /// Writes a picture durably to a file, or to standard output if the path is `-`.
    ///
    /// It blocks until the picture is on disk, or written to standard output.
    ///
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

    private func info() throws(CaptureError) -> VideoInfo {
        do throws(PipelineError) {
            return try VideoInfo(format: "RGB", width: width, height: height)
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

    private func frame(_ plan: OverlayPlan, _ info: VideoInfo) throws(CaptureError) -> Buffer {
        do {
            return try FramePool(info).makeFrame { frame in
                fill(&frame)
                plan.blend(into: &frame)
            }
        } catch {
            throw CaptureError(.software, "no memory for a picture of \(width)x\(height): \(error)")
        }
    }

    private func fill(_ frame: inout WritableVideoFrame) {
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
