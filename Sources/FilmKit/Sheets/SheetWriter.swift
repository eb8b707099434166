// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
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
            let painter = try SheetPainter(plan, rasterizer)
            for number in 0..<plan.sheetCount where !isStopping.load(ordering: .relaxed) {
                guard let bytes = try await draw(number, painter, &state) else { continue }
                try await write(bytes, number, overwrites)
                let path = SheetPlan.path(path, sheet: number)
                state.report.add(path, bytes.count, state.shownCount)
                emit(.written(path: path, pictures: state.shownCount))
            }
        } catch {
            throw CaptureError(ofFilm: error, path)
        }
        return try finish(state)
    }

    /// The report so far, and the number of pictures of the last sheet.
    private struct State {
        /// The number of pictures of the plan, for people.
        let countWords: String
        var report: SheetReport
        var shownCount = 0
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
    private func draw(_ number: Int, _ painter: SheetPainter, _ state: inout State) async throws -> [UInt8]? {
        let all = plan.pictures.count
        let draft = try await painter.draft(number) { skipped in
            state.doneCount += 1
            if let skipped {
                state.report.findings.skipped.append(skipped)
                emit(.skipped(skipped))
            }
            emit(.drawn(state.doneCount, of: all))
            return !isStopping.load(ordering: .relaxed)
        }
        guard var draft, !draft.shown.isEmpty else { return nil }
        state.shownCount = draft.shown.count
        let isLast = number == plan.sheetCount - 1
        let texts = SheetPainter.Texts(
            count: state.countWords, findings: state.report.onSheet(knowsSkipped: isLast).words)
        return try await painter.finish(&draft, number, texts, StillFormat(fileName: path) ?? .jpeg)
    }

    private func write(_ bytes: [UInt8], _ number: Int, _ overwrites: Bool) async throws(CaptureError) {
        let path = SheetPlan.path(path, sheet: number)
        try await BlockingWork.run { () throws(CaptureError) in
            try StillStore(overwrites: overwrites, latest: nil).write(bytes, to: path)
        }
    }
}
