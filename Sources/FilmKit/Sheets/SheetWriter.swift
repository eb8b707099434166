// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit
import Synchronization

/// Makes contact sheets of a plan. Each file is complete and durable, or does not exist.
///
/// Memory depends on the size of a sheet, and not on the number of pictures. Call ``run(_:overwrites:)`` once.
package final class SheetWriter: Sendable {
    /// The progress of sheets.
    package enum Event: Sendable {
        /// This number of pictures is drawn, or skipped.
        case drawn(Int, of: Int)
        case skipped(SkippedPicture)
        /// A sheet is durable.
        case written(path: String, pictures: Int)
    }

    /// The program in the tags of a sheet: no sheet is a picture of another one, or of a film.
    static let software = "gst-capture sheet"
    private static let quality = 90

    private let plan: SheetPlan
    private let path: String
    private let rasterizer: any Rasterizer
    private let emit: @Sendable (Event) -> Void
    private let isStopping = Atomic(false)

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - path: The file of the first sheet, whose ending chooses JPEG or PNG. The names of others have their numbers.
    ///   - rasterizer: Draws the texts.
    ///   - emit: Receives events, in their order.
    package init(
        _ plan: SheetPlan, to path: String, _ rasterizer: any Rasterizer,
        emit: @escaping @Sendable (Event) -> Void = { _ in }
    ) { (self.plan, self.path, self.rasterizer, self.emit) = (plan, path, rasterizer, emit) }

    /// Ends after the current picture. Sheets that are complete stay. Any thread may call this.
    package func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Makes all sheets.
    ///
    /// - Parameters:
    ///   - report: The report of the plan.
    ///   - overwrites: `true` to replace files of these names.
    /// - Returns: The report of the sheets.
    /// - Throws: ``CaptureError``: `cannotCreate` with `EEXIST` if there is a file of such a name, before any sheet is
    ///   made; `noInput` if no picture can be shown; the errors of the disk.
    package func run(_ report: SheetReport, overwrites: Bool = false) async throws(CaptureError) -> SheetReport {
        try await checkNames(overwrites)
        var state = State(countWords: report.countWords, report: report)
        do {
            let loader = try SheetLoader(plan.layout)
            for number in 0..<plan.sheetCount where !isStopping.load(ordering: .relaxed) {
                guard let bytes = try await draw(number, loader, &state) else { continue }
                try await write(bytes, number, overwrites)
                let path = SheetPlan.path(path, sheet: number)
                state.report.add(path, bytes.count, state.shown.count)
                emit(.written(path: path, pictures: state.shown.count))
            }
        } catch {
            throw CaptureError(ofFilm: error, path)
        }
        return try finish(state)
    }

    /// The report so far, and the pictures of the sheet that is drawn.
    private struct State {
        /// The number of pictures of the plan, for people.
        let countWords: String
        var report: SheetReport
        var shown: [FilmPicture] = []
        var doneCount = 0
    }

    private func finish(_ state: State) throws(CaptureError) -> SheetReport {
        var report = state.report
        report.isComplete = state.doneCount == plan.pictures.count
        guard !report.files.isEmpty else {
            guard report.isComplete else { throw CaptureError(.temporary, "was stopped before its first sheet") }
            throw CaptureError(.noInput, "none of its pictures can be shown", subject: report.findings.source)
        }
        return report
    }

    private func checkNames(_ overwrites: Bool) async throws(CaptureError) {
        let paths = (0..<plan.sheetCount).map { SheetPlan.path(path, sheet: $0) }
        try await BlockingWork.run { () throws(CaptureError) in
            for path in paths {
                if overwrites { try StillStore.checkReplaceable(path) }
                if DeviceFiles.exists(path), !overwrites { throw FilmFile.existing(path) }
            }
        }
    }

    /// Draws a sheet, and encodes it.
    ///
    /// - Returns: `nil` if none of its pictures can be shown, or it was stopped.
    private func draw(_ number: Int, _ loader: SheetLoader, _ state: inout State) async throws -> [UInt8]? {
        var page = try SheetPage(plan.layout.size)
        state.shown = []
        try await drawPictures(number, loader, &page, &state)
        guard !isStopping.load(ordering: .relaxed), !state.shown.isEmpty else { return nil }
        try await drawTexts(number, &page, state)
        return try await encode(page)
    }

    /// Draws the pictures of a sheet one after the other, so that a damaged one leaves no hole.
    private func drawPictures(
        _ number: Int, _ loader: SheetLoader, _ page: inout SheetPage, _ state: inout State
    ) async throws {
        try await withThrowingTaskGroup(of: ParallelQueue<FilmPicture, Loaded>.Done.self) { group in
            var queue = ParallelQueue(plan.pictures(ofSheet: number)) { picture in
                await Result { try await loader.load(picture) }
            }
            while !isStopping.load(ordering: .relaxed), let (picture, result) = try await queue.next(&group) {
                switch result {
                case .success(let frame):
                    let place = plan.layout.place(state.shown.count, of: picture.size)
                    try page.draw(frame, loader.info, at: place)
                    state.shown.append(picture)
                case .failure(let error) where error.isOfPicture:
                    let skipped = SkippedPicture(name: picture.name, reason: error.message)
                    state.report.findings.skipped.append(skipped)
                    emit(.skipped(skipped))
                case .failure(let error): throw error
                }
                state.doneCount += 1
                emit(.drawn(state.doneCount, of: plan.pictures.count))
            }
            group.cancelAll()
        }
    }

    private typealias Loaded = Result<Buffer, CaptureError>

    private func drawTexts(_ number: Int, _ page: inout SheetPage, _ state: State) async throws(CaptureError) {
        let (layout, text) = (plan.layout, SheetText(rasterizer, sheet: plan.layout.size))
        page.draw(try await text.image(plan.title, .title, at: layout.title))
        page.draw(try await text.image("\(plan.days)  ·  \(state.countWords)", .line, at: layout.days))
        page.draw(try await text.image(state.report.findingWords, .line, at: layout.findings))
        if plan.sheetCount > 1 {
            page.draw(try await text.image("\(number + 1) of \(plan.sheetCount)", .line, at: layout.number))
        }
        for (place, picture) in state.shown.enumerated() {
            guard let caption = plan.caption(of: picture) else { continue }
            page.draw(try await text.image(caption, .caption, at: layout.caption(place)))
        }
    }

    private func encode(_ page: SheetPage) async throws -> [UInt8] {
        let format = StillFormat(fileName: path) ?? .jpeg
        let encoder = StillEncoder(format: format, quality: Self.quality, orientation: .upright)
        defer { encoder.close() }
        let sample = try await BlockingWork.run { try page.sample() }
        let bytes = try await encoder.encode(sample).bytes
        let size = plan.layout.size
        var metadata = StillMetadata(captured: .now(), width: size.width, height: size.height)
        metadata.software = Self.software
        return try metadata.embedded(in: bytes, format)
    }

    private func write(_ bytes: [UInt8], _ number: Int, _ overwrites: Bool) async throws(CaptureError) {
        let path = SheetPlan.path(path, sheet: number)
        try await BlockingWork.run { () throws(CaptureError) in
            try StillStore(overwrites: overwrites, latest: nil).write(bytes, to: path)
        }
    }
}
