// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import FrameMeasures
import GateKit
import OverlayCompositor
import PresetKit

/// Judges the captured pictures of a session by the gates that reject pictures.
struct SessionJudge {
    private let planner: OverlayPlanner?

    /// - Parameter rasterizer: Draws the outline whose subject is judged; `nil` to judge no subject.
    init(_ rasterizer: (any Rasterizer)?) { planner = rasterizer.map { OverlayPlanner($0) } }

    /// The geometry of a picture that was captured before the first frame of the preview: as if the preview had shown all
    /// of it in the usual size.
    static func geometry(width: Int, height: Int) -> StillGeometry {
        let scale = min(1, 640 / Double(max(1, width)))
        let preview = PreviewSize(width: Int(Double(width) * scale), height: max(1, Int(Double(height) * scale)))
        let picture = PixelBox(x: 0, y: 0, width: Double(preview.width), height: Double(preview.height))
        return StillGeometry(width: width, height: height, preview: preview, picture: picture, isMirrored: false)
    }

    /// Judges a picture by the gates of its stage.
    ///
    /// - Parameter geometry: The place of the picture on the preview.
    /// - Returns: The finding of the first gate that does not hold; `nil` if all hold, or if no gate rejects pictures.
    /// - Throws: ``CaptureError`` if there is no memory for the picture.
    func rejection(
        of pixels: StillPixels, on geometry: StillGeometry, by gates: [GateRequest], along outline: Outline?
    ) async throws(CaptureError) -> GateFinding? {
        let size = PreviewSize(width: geometry.previewWidth, height: geometry.previewHeight)
        let subject = await GateSubject(of: outline, on: size, by: planner)
        let picture = try await StillCoding.preview(of: pixels, on: geometry)
        return await StillJudge(gates, of: subject).findings(on: picture).first { !$0.holds }
    }
}
