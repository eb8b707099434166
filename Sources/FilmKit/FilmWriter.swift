// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit
import Synchronization
import VideoKit

/// Makes a film of a plan, in a file that plays at any time, and that another run continues after a crash.
///
/// The film consists of parts of 500 frames, each with its own encoder, so that no part depends on others: a film that was
/// continued has the same frames as one that was not. Write order: (1) the fragments of a part, durably; (2) its line in the
/// journal; at the end (3) the index of the movie, and (4) the removal of the journal.
///
/// Memory depends on the size of the pictures, and not on their number. Call ``run(_:)`` once.
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

    /// The number of frames of a part. At the end of a part x264 looks less far ahead: with shorter parts a film would differ
    /// more from one of one piece.
    static let partCount = 2 * OfflineSettings.usualKeyInterval

    private let plan: FilmPlan
    private let settings: FilmSettings
    private let path: String
    private let rasterizer: (any Rasterizer)?
    private let encoders: EncoderCatalog
    private let emit: @Sendable (Event) -> Void
    private let isStopping = Atomic(false)

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
        (self.plan, self.settings, self.path) = (plan, settings, path)
        (self.rasterizer, self.encoders, self.emit) = (rasterizer, encoders, emit)
    }

    /// Ends the film after the current picture: it plays, and another run continues it. Any thread may call this.
    package func stop() { isStopping.store(true, ordering: .relaxed) }

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
        let encoder = try await encoders.encoder(settings.encoder, for: nil)
        let offline = try offlineSettings(encoder)
        let look = FilmLook(plan, settings, encoder, offline)
        let file = FilmFile(path)
        let start = try await file.open(look, overwrites: overwrites)
        emit(.encoding(plan.size, encoder: encoder.name))
        if start.hasChanged { emit(.restarted) }
        if start.part.pictureCount > 0 { emit(.resumed(start.part.pictureCount)) }
        let job = Job(file: file, encoder: encoder, offline: offline, look: look)
        do {
            let gains = try await gains(from: start.part.pictureCount)
            let loader = try FrameLoader(plan.size, plan.rate, stamp: try stamp())
            let end = try await encode(job, from: start.part, loader, gains)
            return try await finish(job, end, start.skipped, report)
        } catch {
            await file.close()
            throw CaptureError(ofFilm: error, path)
        }
    }

    private func finish(
        _ job: Job, _ end: Progress, _ skipped: [SkippedPicture], _ report: FilmReport
    ) async throws(CaptureError) -> FilmReport {
        let isComplete = end.part.pictureCount == plan.frames.count
        guard end.part.frameCount > 0 else {
            await job.file.abandon()
            guard isComplete else { throw CaptureError(.temporary, "the film was stopped before its first picture") }
            throw CaptureError(.noInput, "none of its pictures can be shown", subject: report.source)
        }
        let byteCount = try await job.file.finish(isComplete: isComplete)
        var report = report
        report.skipped += skipped + end.skipped
        (report.frameCount, report.duration) = (end.part.frameCount, plan.duration(ofUnits: end.part.unitCount))
        report.film = FilmReport.Film(
            path: path, byteCount: byteCount, encoder: job.encoder.name, isComplete: isComplete)
        return report
    }

    /// The values that all parts of the film share.
    private struct Job: Sendable {
        let file: FilmFile
        let encoder: H264Encoder
        let offline: OfflineSettings
        let look: FilmLook
    }

    /// The state of the film, and the pictures that this run has skipped.
    private struct Progress {
        var part: FilmJournal.Part
        var skipped: [SkippedPicture] = []
    }

    private func stamp() throws(CaptureError) -> FilmStamp? {
        guard let format = settings.time else { return nil }
        guard let rasterizer else {
            throw CaptureError(
                .configuration, "gst-capture-raster, which draws the time, is missing", subject: "--time",
                advice: "install gst-capture completely")
        }
        return FilmStamp(format, rasterizer)
    }

    private func offlineSettings(_ encoder: H264Encoder) throws(CaptureError) -> OfflineSettings {
        if let quality = settings.quality {
            guard encoder.keepsQuality else {
                throw CaptureError(
                    .usage, "\(encoder.name) cannot keep the quality constant", subject: "--quality",
                    advice: "give a --bitrate, or --codec x264enc")
            }
            return OfflineSettings(.quality(quality))
        }
        if let bitRate = settings.bitRate { return OfflineSettings(.bitRate(bitRate)) }
        guard !encoder.keepsQuality else { return OfflineSettings(.quality(Self.usualQuality)) }
        return OfflineSettings(.bitRate(Self.usualBitRate(plan.size, plan.rate)))
    }

    private static let usualQuality = 23

    /// A rate at which pictures of this size look good: 0.1 bits a pixel.
    private static func usualBitRate(_ size: FrameSize, _ rate: Fraction) -> Int {
        min(60_000_000, max(500_000, Int(Double(size.area) * min(rate.doubleValue, 60) * 0.1)))
    }
}

// MARK: - Brightness

extension FilmWriter {
    /// Returns the gains of the pictures from a place on: 1 for all without the removal of flicker. The brightness of the
    /// ledger costs nothing; if a picture has none, all pictures are measured, because the two differ.
    private func gains(from start: Int) async throws(CaptureError) -> [Double] {
        guard settings.deflickers else { return [] }
        let first = max(0, start - Deflicker.lookahead)
        let frames = Array(plan.frames[first...])
        let hasAll = plan.frames.allSatisfy { $0.picture.brightness != nil }
        let levels =
            hasAll
            ? frames.map { $0.picture.brightness.map(PictureLevel.level) } : try await measured(frames)
        return Array(Deflicker.gains(levels).dropFirst(start - first))
    }

    private func measured(_ frames: [FilmPlan.Frame]) async throws(CaptureError) -> [Double?] {
        var levels = [Double?](repeating: nil, count: frames.count)
        let failure = await withTaskGroup(of: (Int, Result<Double, CaptureError>).self) { group -> CaptureError? in
            var (next, done) = (0, 0)
            while done < frames.count {
                while next < frames.count, next - done < FrameQueue.width {
                    let (place, picture) = (next, frames[next].picture)
                    group.addTask { (place, await FrameQueue.result { try await FrameLoader.level(of: picture) }) }
                    next += 1
                }
                guard !isStopping.load(ordering: .relaxed), let (place, result) = await group.next() else { break }
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

// MARK: - Encoding

extension FilmWriter {
    /// Encodes part after part to the last picture, or until the film is stopped.
    private func encode(
        _ job: Job, from start: FilmJournal.Part, _ loader: FrameLoader, _ gains: [Double]
    ) async throws -> Progress {
        let queue = FrameQueue(plan.frames, from: start.pictureCount, loader, gains)
        return try await withThrowingTaskGroup(of: FrameQueue.Loaded.self) { group in
            var (progress, queue) = (Progress(part: start), queue)
            while progress.part.pictureCount < plan.frames.count, !isStopping.load(ordering: .relaxed) {
                try await encodePart(job, &progress, &queue, &group)
            }
            group.cancelAll()
            return progress
        }
    }

    /// Encodes the next part. A film that is stopped ends with a part that is shorter, which the journal does not have.
    private func encodePart(
        _ job: Job, _ progress: inout Progress, _ queue: inout FrameQueue,
        _ group: inout ThrowingTaskGroup<FrameQueue.Loaded, any Error>
    ) async throws {
        let encoder = try OfflineEncoder(job.encoder, job.offline, queue.loader.info.caps)
        try await encoder.start()
        let times = FilmTimes(plan.rate, from: progress.part.unitCount)
        async let written: Void = write(encoder, times, to: job.file)
        let start = progress.part
        var part = start
        part.skipped = []
        do {
            try await feed(encoder, &part, start, &queue, &group)
            if part.unitCount > start.unitCount { try encoder.finish() } else { await encoder.stop() }
            try await written
        } catch {
            await encoder.stop()
            // The cause is an error of the disk, if there is one.
            try await written
            throw error
        }
        await encoder.stop()
        progress.skipped += part.skipped
        let isWhole = part.unitCount - start.unitCount >= Self.partCount || part.pictureCount == plan.frames.count
        part.digest = job.look.digest(after: start.digest, start.pictureCount..<part.pictureCount)
        progress.part = isWhole && part.frameCount > 0 ? try await job.file.endPart(part) : part
        if isWhole { emit(.saved(part.pictureCount)) }
    }

    /// Passes frames to an encoder, up to the end of a part.
    private func feed(
        _ encoder: OfflineEncoder, _ part: inout FilmJournal.Part, _ start: FilmJournal.Part,
        _ queue: inout FrameQueue, _ group: inout ThrowingTaskGroup<FrameQueue.Loaded, any Error>
    ) async throws {
        while part.unitCount - start.unitCount < Self.partCount, !isStopping.load(ordering: .relaxed),
            let (frame, result) = try await queue.next(&group)
        {
            part.pictureCount += 1
            switch result {
            case .success(let buffer):
                part.frameCount += 1
                // A constant rate is what editors expect; a frame that repeats costs a few bytes.
                for _ in 0...frame.hold {
                    guard try await encoder.push(buffer) else { return }
                    part.unitCount += 1
                }
            case .failure(let error) where error.isOfPicture:
                let picture = SkippedPicture(name: frame.picture.name, reason: error.message)
                part.skipped.append(picture)
                emit(.skipped(picture))
            case .failure(let error): throw error
            }
            emit(.written(part.pictureCount, of: plan.frames.count))
        }
    }

    /// The most units, and about the most bytes, of a fragment.
    private static let mostUnits = 64, mostBytes = 4 << 20

    /// Writes the units of an encoder to the film.
    private func write(
        _ encoder: OfflineEncoder, _ times: FilmTimes, to file: FilmFile
    ) async throws(CaptureError) {
        do {
            var (pending, byteCount, count): ([FragmentWriter.AccessUnit], Int, Int) = ([], 0, 0)
            var caps: Caps?
            while let unit = try await encoder.next() {
                // Encoders send the same caps with each unit: they are read once.
                if unit.caps != caps { try await file.begin(unit.caps) }
                caps = unit.caps
                pending.append(times.accessUnit(unit, number: count))
                (byteCount, count) = (byteCount + unit.bytes.count, count + 1)
                if pending.count >= Self.mostUnits || byteCount >= Self.mostBytes {
                    try await file.append(pending)
                    (pending, byteCount) = ([], 0)
                }
            }
            if !pending.isEmpty { try await file.append(pending) }
        } catch {
            // The task that pushes frames must not wait for an encoder from which none are taken.
            await encoder.stop()
            throw CaptureError(ofFilm: error, path)
        }
    }
}

/// The times of the frames of a part, in the timescale of the movie.
struct FilmTimes: Sendable {
    private let rate: Fraction
    private let start: Int

    /// - Parameter start: The number of frames before the part.
    init(_ rate: Fraction, from start: Int) { (self.rate, self.start) = (rate, start) }

    /// Returns a unit with its times. Frames are decoded one after the other, in the order of the encoder.
    ///
    /// - Parameter number: The number of units of the part before this one.
    func accessUnit(_ unit: OfflineEncoder.Unit, number: Int) -> FragmentWriter.AccessUnit {
        let (time, next) = (ticks(start + number), ticks(start + number + 1))
        return FragmentWriter.AccessUnit(
            .video, unit.bytes, decodeTime: UInt64(time), duration: UInt32(next - time), isKey: unit.isKey,
            compositionOffset: Int32(clamping: ticks(start + unit.place) - time))
    }

    private func ticks(_ count: Int) -> Int {
        let scale = Int(FragmentWriter.videoTimescale) * Int(rate.denominator)
        return (count * scale * 2 + Int(rate.numerator)) / (2 * Int(rate.numerator))
    }
}

extension CaptureError {
    /// `true` if a picture is at fault, which the film skips.
    var isOfPicture: Bool { [.noInput, .inputOutput, .permission].contains(code) }

    fileprivate init(ofFilm error: any Error, _ path: String) {
        switch error {
        case let error as CaptureError: self = error.subject == nil ? error.about(path) : error
        case let error as PipelineError: self.init(error, subject: "the encoder")
        default: self.init(.software, "\(error)", subject: path)
        }
    }
}
