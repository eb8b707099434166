// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import OverlayCompositor
import PipelineKit
import VideoKit

/// Makes a film of a plan, in a file that plays at any time, and that another run continues after a crash.
///
/// Memory depends on the size of the pictures; the plan takes less than 1 KiB for each. Call ``run(_:overwrites:)`` once.
package final class FilmWriter: Sendable {
    /// The progress of a film.
    package enum Event: Sendable {
        /// The size of the film, and its encoder.
        case encoding(FrameSize, encoder: String)
        /// This number of pictures is in the film already.
        case resumed(Int)
        /// A film that was interrupted is made again, because its pictures or settings have changed.
        case restarted
        /// The brightness of this number of pictures is measured.
        case measured(Int, of: Int)
        /// This number of pictures is in the film, or skipped.
        case written(Int, of: Int)
        case skipped(SkippedPicture)
        /// This number of pictures is durable: a crash does not lose them.
        case saved(Int)
    }

    /// `true` for the file of a film that no run has to continue. Blocks.
    package static func isComplete(_ path: String) -> Bool {
        RegularFile.isRegular(path) && !FilmJournal.exists(ofFilm: path)
    }

    /// Removes the file of a film, and what another run would need to continue it. Blocks.
    package static func remove(_ path: String) {
        unlink(path)
        unlink(FilmJournal.path(ofFilm: path))
    }

    private let plan: FilmPlan
    private let press: FilmPress
    private let emit: @Sendable (Event) -> Void

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - path: The file of the film.
    ///   - rasterizer: Draws the time; needed if it is burnt in.
    ///   - emit: Receives events, in their order.
    package init(
        _ plan: FilmPlan, _ settings: FilmSettings, to path: String, _ rasterizer: (any Rasterizer)? = nil,
        encoders: EncoderCatalog = .shared, emit: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        (self.plan, self.emit) = (plan, emit)
        let count = plan.frames.count
        press = FilmPress(settings, to: path, rasterizer, encoders) { emit(Event($0, of: count)) }
    }

    /// Ends the film after the current picture: it plays, and another run continues it. Any thread may call this.
    package func stop() { press.stop() }

    /// Makes the film, or continues it.
    ///
    /// - Parameters:
    ///   - report: The report of the plan.
    ///   - overwrites: `true` to replace a film of this name.
    /// - Returns: The report of the film.
    /// - Throws: ``CaptureError``: `cannotCreate` with `EEXIST` if there is another file; `temporary` if another process
    ///   makes this film; `configuration` without an encoder; `noInput` if no picture can be shown. After an error of the
    ///   disk, the film plays up to its last part, and another run continues it.
    package func run(_ report: FilmReport, overwrites: Bool = false) async throws(CaptureError) -> FilmReport {
        let film = try await press.film(plan.size, plan.rate)
        let look = FilmLook(plan, press.settings)
        let file = FilmFile(press.path)
        let start = try await file.open(press.settingsDigest(film), overwrites: overwrites) { look.valid($0) }
        emit(.encoding(plan.size, encoder: film.encoder.name))
        if start.hasChanged { emit(.restarted) }
        let count = start.part.pictureCount
        if count > 0 { emit(.resumed(count)) }
        do {
            let gains = try await gains(from: count)
            var queue = FrameQueue(look, from: count, try press.loader(film), gains)
            let end = try await press.encode(film, to: file, from: start.part, &queue)
            return try await finish(file, film, end, start.skipped, report)
        } catch {
            await file.close()
            throw CaptureError(ofFilm: error, press.path)
        }
    }

    private func finish(
        _ file: FilmFile, _ film: FilmPress.Film, _ end: FilmPress.Progress, _ skipped: [SkippedPicture],
        _ report: FilmReport
    ) async throws(CaptureError) -> FilmReport {
        let isComplete = end.part.pictureCount == plan.frames.count
        guard end.part.frameCount > 0 else {
            await file.abandon()
            guard isComplete else { throw CaptureError(.temporary, "the film was stopped before its first picture") }
            throw CaptureError(.noInput, "none of its pictures can be shown", subject: report.source)
        }
        let byteCount = try await file.finish()
        if isComplete { await file.complete() } else { await file.close() }
        var report = report
        report.skipped += skipped + end.skipped
        (report.frameCount, report.duration) = (end.part.frameCount, plan.duration(ofUnits: end.part.unitCount))
        report.film = FilmReport.Film(
            path: press.path, byteCount: byteCount, encoder: film.encoder.name, isComplete: isComplete)
        return report
    }
}

extension FilmWriter.Event {
    /// - Parameter count: The number of pictures of the film.
    fileprivate init(_ event: FilmPress.Event, of count: Int) {
        switch event {
        case .written(let written): self = .written(written, of: count)
        case .skipped(let picture): self = .skipped(picture)
        case .saved(let saved): self = .saved(saved)
        }
    }
}

// MARK: - Brightness

extension FilmWriter {
    /// Returns the gains of the pictures from a place on: 1 for all without the removal of flicker. If the ledger has the
    /// brightness of the first picture, that of all pictures is the ledger's, and costs nothing; otherwise all pictures are
    /// measured, because the two differ.
    private func gains(from start: Int) async throws(CaptureError) -> [Double] {
        guard press.settings.deflickers else { return [] }
        let first = max(0, start - Deflicker.lookahead)
        let frames = Array(plan.frames[first...])
        let levels = plan.frames.first?.picture.level != nil ? frames.map(\.picture.level) : try await measured(frames)
        return Array(Deflicker.gains(levels).dropFirst(start - first))
    }

    private func measured(_ frames: [FilmPlan.Frame]) async throws(CaptureError) -> [Double?] {
        var levels = [Double?](repeating: nil, count: frames.count)
        let failure = await withTaskGroup(of: (Int, Result<Double, CaptureError>).self) { group -> CaptureError? in
            var (next, done) = (0, 0)
            while done < frames.count {
                while next < frames.count, next - done < FrameQueue.width {
                    let (place, picture) = (next, frames[next].picture)
                    group.addTask { (place, await Result { try await FrameLoader.level(of: picture) }) }
                    next += 1
                }
                guard !press.isStopping, let (place, result) = await group.next() else { break }
                done += 1
                switch result {
                case .success(let level): levels[place] = level
                // The picture is skipped when it is loaded.
                case .failure(let error) where !error.isOfPicture: return error
                case .failure: break
                }
                emit(.measured(done, of: frames.count))
            }
            group.cancelAll()
            return nil
        }
        if let failure { throw failure }
        return levels
    }
}
