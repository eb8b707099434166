// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import StillKit

/// Decodes pictures for the fields of a contact sheet: upright, at the size of their place.
///
/// Any number of tasks may load pictures at the same time; the memory in which they decode comes from ``DecodingMemory``.
struct SheetLoader: Sendable {
    /// The format of the frames, which have the size of a field. A picture is in the top left part.
    let info: VideoInfo
    private let layout: SheetLayout
    private let pool: FramePool
    private let opener: PictureOpener

    /// - Throws: `PipelineError` if there is no memory for a frame.
    init(_ layout: SheetLayout, by opener: @escaping PictureOpener) throws(PipelineError) {
        info = try FrameLoader.info("Y444", layout.cell)
        (self.layout, self.opener) = (layout, opener)
        pool = try FramePool(info)
    }

    /// Loads a picture.
    ///
    /// - Throws: ``CaptureError`` if the picture cannot be read, or is damaged; `temporary` if the task is canceled.
    func load(_ picture: FilmPicture) async throws(CaptureError) -> Buffer {
        let frame = FilmPlan.Frame(
            picture: picture, geometry: FilmGeometry(whole: picture.size, at: layout.fitted(picture.size)))
        let opener = opener
        let file = try await CancelFlag.run { (_) throws(CaptureError) in
            try FrameLoader.open(picture, by: opener)
        }
        let claim = try await DecodingMemory.shared.claim(Pixels.byteCount(file, frame))
        defer { withExtendedLifetime(claim) {} }
        return try await CancelFlag.run { (flag) throws(CaptureError) in try decode(file, frame, until: flag) }
    }

    private func decode(
        _ file: PictureFile, _ frame: FilmPlan.Frame, until flag: CancelFlag
    ) throws(CaptureError) -> Buffer {
        try FrameLoader.checkSize(of: file, frame.picture)
        do {
            let pixels = try Pixels(file, frame, until: flag)
            return try pool.makeFrame { output in
                try pixels.buffer.withVideoFrame(pixels.info) { input in
                    try output.fill(with: input, from: pixels.geometry.source, into: pixels.geometry.place)
                }
            }
        } catch let error as CaptureError {
            throw error
        } catch {
            throw CaptureError(.inputOutput, "cannot be converted: \(error)")
        }
    }
}
