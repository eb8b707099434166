// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit

/// Draws the sheets of a plan in memory, and encodes them.
struct SheetPainter: Sendable {
    /// A sheet with its pictures, without its texts.
    struct Draft: Sendable {
        fileprivate var page: SheetPage
        /// The pictures in their fields.
        fileprivate(set) var shown: [FilmPicture] = []
    }

    /// The lines of a sheet that do not follow from its plan.
    struct Texts: Sendable {
        /// The number of pictures.
        var count: String
        /// The gaps and the skipped files; empty for no line.
        var findings: String
    }

    private static let quality = 90

    private let plan: SheetPlan
    private let rasterizer: any Rasterizer
    private let loader: SheetLoader
    private let width: Int

    /// - Parameters:
    ///   - rasterizer: Draws the texts.
    ///   - opener: Opens the files of the pictures.
    ///   - width: The number of pictures that are loaded at a time.
    /// - Throws: `PipelineError` if there is no memory for a picture.
    init(
        _ plan: SheetPlan, _ rasterizer: any Rasterizer, by opener: @escaping PictureOpener = RegularFile.opened,
        width: Int = FrameQueue.width
    ) throws(PipelineError) {
        (self.plan, self.rasterizer, self.width) = (plan, rasterizer, width)
        loader = try SheetLoader(plan.layout, by: opener)
    }

    /// Draws the pictures of a sheet one after the other, so that a damaged one leaves no hole.
    ///
    /// - Parameter step: Called after each picture, with the reason if it is skipped. Returns `false` to stop.
    /// - Returns: `nil` if it was stopped.
    func draft(_ number: Int, _ step: (SkippedPicture?) -> Bool) async throws -> Draft? {
        var draft = Draft(page: try SheetPage(plan.layout.size))
        return try await withThrowingTaskGroup(of: ParallelQueue<FilmPicture, Loaded>.Done.self) { group in
            defer { group.cancelAll() }
            var queue = ParallelQueue(plan.pictures(ofSheet: number), width: width) { picture in
                await Result { try await loader.load(picture) }
            }
            while let (picture, result) = try await queue.next(&group) {
                var skipped: SkippedPicture?
                switch result {
                case .success(let frame):
                    let place = plan.layout.place(draft.shown.count, of: picture.size)
                    try draft.page.draw(frame, loader.info, at: place)
                    draft.shown.append(picture)
                case .failure(let error) where error.isOfPicture:
                    skipped = SkippedPicture(name: picture.name, reason: error.message)
                case .failure(let error): throw error
                }
                guard step(skipped) else { return nil }
            }
            return draft
        }
    }

    private typealias Loaded = Result<Buffer, CaptureError>

    /// Draws the texts of a sheet, and encodes it.
    func finish(
        _ draft: inout Draft, _ number: Int, _ texts: Texts, _ format: StillFormat
    ) async throws -> [UInt8] {
        try await draw(texts, number, draft.shown, &draft.page)
        let encoder = StillEncoder(format: format, quality: Self.quality, orientation: .upright)
        defer { encoder.close() }
        let sample = try await BlockingWork.run { [page = draft.page] in try page.sample() }
        let bytes = try await encoder.encode(sample).bytes
        let size = plan.layout.size
        var metadata = StillMetadata(captured: .now(), width: size.width, height: size.height)
        metadata.software = SheetWriter.software
        return try metadata.embedded(in: bytes, format)
    }

    private func draw(
        _ texts: Texts, _ number: Int, _ shown: [FilmPicture], _ page: inout SheetPage
    ) async throws(CaptureError) {
        let (layout, text) = (plan.layout, SheetText(rasterizer, sheet: plan.layout.size))
        page.draw(try await text.image(plan.title, .title, at: layout.title))
        page.draw(try await text.image("\(plan.days)  ·  \(texts.count)", .line, at: layout.days))
        if !texts.findings.isEmpty { page.draw(try await text.image(texts.findings, .line, at: layout.findings)) }
        if plan.sheetCount > 1 {
            page.draw(try await text.image("\(number + 1) of \(plan.sheetCount)", .line, at: layout.number))
        }
        for (place, picture) in shown.enumerated() {
            guard let caption = plan.caption(of: picture) else { continue }
            guard !Task.isCancelled else { throw CaptureError(.temporary, "drawing was canceled") }
            page.draw(try await text.image(caption, .caption, at: layout.caption(place)))
        }
    }
}
