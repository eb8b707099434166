// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit
import Synchronization
import SystemBase
import VideoKit

/// Encodes the pictures of a film, part after part, into its file.
///
/// Each part has 500 frames and its own encoder, so that no part depends on others: a film that was continued has the same
/// frames as one that was not. Write order: (1) the fragments of a part, durably; (2) its line in the journal; at the end
/// (3) the index of the movie, and (4) the removal of the journal.
final class FilmPress: Sendable {
    /// The number of frames of a part. At the end of a part x264 looks less far ahead: with shorter parts a film would differ
    /// more from one of one piece.
    static let partCount = 2 * OfflineSettings.usualKeyInterval

    /// A film that is about to be encoded.
    struct Film: Sendable {
        let size: FrameSize
        let rate: Fraction
        let encoder: H264Encoder
        let offline: OfflineSettings
    }

    /// The state of the film, and the pictures that this run has skipped.
    struct Progress: Sendable {
        var part: FilmJournal.Part
        var skipped: [SkippedPicture] = []
    }

    /// The progress of the pictures.
    enum Event: Sendable {
        /// This number of pictures is in the film, or skipped.
        case written(Int)
        case skipped(SkippedPicture)
        /// This number of pictures is durable: a crash does not lose them.
        case saved(Int)
    }

    let settings: FilmSettings
    let path: String
    private let rasterizer: (any Rasterizer)?
    private let encoders: EncoderCatalog
    private let emit: @Sendable (Event) -> Void
    private let stopRequest = Atomic(false)

    /// - Parameters:
    ///   - path: The file of the film.
    ///   - rasterizer: Draws the time; needed if it is burnt in.
    init(
        _ settings: FilmSettings, to path: String, _ rasterizer: (any Rasterizer)?, _ encoders: EncoderCatalog,
        emit: @escaping @Sendable (Event) -> Void
    ) {
        (self.settings, self.path, self.rasterizer) = (settings, path, rasterizer)
        (self.encoders, self.emit) = (encoders, emit)
    }

    /// Ends the film after the current picture. Any thread may call this.
    func stop() { stopRequest.store(true, ordering: .relaxed) }

    /// `true` after ``stop()``.
    var isStopping: Bool { stopRequest.load(ordering: .relaxed) }

    /// Chooses the encoder of a film.
    ///
    /// - Throws: ``CaptureError``: `configuration` without an encoder, `usage` if it cannot keep the quality constant.
    func film(_ size: FrameSize, _ rate: Fraction) async throws(CaptureError) -> Film {
        let encoder = try await encoders.encoder(settings.encoder, for: nil)
        return Film(size: size, rate: rate, encoder: encoder, offline: try offline(encoder, size, rate))
    }

    /// Returns a hash of all settings that decide how a film looks.
    ///
    /// - Parameter version: The version of the program, if another one may draw otherwise; empty if that does not matter.
    func settingsDigest(_ film: Film, version: String = Version.current) -> String {
        let words = [
            version, film.size.description, film.rate.description, film.encoder.name, "\(film.offline.target)",
            "\(film.offline.keyInterval)", "\(film.offline.threads)", settings.time ?? "", "\(settings.deflickers)",
        ]
        return SHA256.digits(of: Array(words.joined(separator: "\0").utf8))
    }

    /// Returns the loader of a film's pictures.
    ///
    /// - Throws: ``CaptureError`` `configuration` without the rasterizer that draws the time, `PipelineError` without memory.
    func loader(_ film: Film) throws -> FrameLoader {
        try FrameLoader(film.size, film.rate, stamp: try stamp())
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

    private func offline(
        _ encoder: H264Encoder, _ size: FrameSize, _ rate: Fraction
    ) throws(CaptureError) -> OfflineSettings {
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
        return OfflineSettings(.bitRate(Self.usualBitRate(size, rate)))
    }

    private static let usualQuality = 23

    /// A rate at which pictures of this size look good: 0.1 bits a pixel.
    private static func usualBitRate(_ size: FrameSize, _ rate: Fraction) -> Int {
        min(60_000_000, max(500_000, Int(Double(size.area) * min(rate.doubleValue, 60) * 0.1)))
    }
}

// MARK: - Encoding

extension FilmPress {
    /// Encodes part after part, until the supply ends or the film is stopped.
    func encode(
        _ film: Film, to file: FilmFile, from start: FilmJournal.Part, _ supply: inout some FrameSupply
    ) async throws -> Progress {
        try await withThrowingTaskGroup(of: FrameQueue.Loaded.self) { group in
            var progress = Progress(part: start)
            while !supply.hasEnded, !isStopping { try await encodePart(film, file, &progress, &supply, &group) }
            group.cancelAll()
            return progress
        }
    }

    /// Encodes the next part. A film that is stopped ends with a part that is shorter, which the journal does not have.
    private func encodePart<Supply: FrameSupply>(
        _ film: Film, _ file: FilmFile, _ progress: inout Progress, _ supply: inout Supply,
        _ group: inout Supply.Loading
    ) async throws {
        let encoder = try OfflineEncoder(film.encoder, film.offline, supply.info.caps)
        try await encoder.start()
        let times = FilmTimes(film.rate, from: progress.part.unitCount)
        async let written: Void = write(encoder, times, to: file)
        let start = progress.part
        var part = start
        part.skipped = []
        do {
            try await feed(encoder, &part, start, &supply, &group)
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
        let isWhole = part.unitCount - start.unitCount >= Self.partCount || supply.isComplete
        supply.seal(&part, after: start)
        let hasMore = part.frameCount > 0 && part.pictureCount > start.pictureCount
        progress.part = isWhole && hasMore ? try await file.endPart(part) : part
        if isWhole { emit(.saved(part.pictureCount)) }
    }

    /// Passes frames to an encoder, up to the end of a part.
    private func feed<Supply: FrameSupply>(
        _ encoder: OfflineEncoder, _ part: inout FilmJournal.Part, _ start: FilmJournal.Part, _ supply: inout Supply,
        _ group: inout Supply.Loading
    ) async throws {
        while part.unitCount - start.unitCount < Self.partCount, !isStopping,
            let (frame, pixels) = try await supply.next(&group)
        {
            part.pictureCount += 1
            switch pixels {
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
            emit(.written(part.pictureCount))
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

    /// Creates the error of a film, which names its file if it names nothing else.
    init(ofFilm error: any Error, _ path: String) {
        switch error {
        case let error as CaptureError: self = error.subject == nil ? error.about(path) : error
        case let error as PipelineError: self.init(error, subject: "the encoder")
        default: self.init(.software, "\(error)", subject: path)
        }
    }
}
