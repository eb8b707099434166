// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import Synchronization
import VideoKit

/// Makes a film while its pictures are captured: each is encoded when all pictures are there on which it depends. The file
/// plays at any time, and another run continues it after a crash.
///
/// The film has the same frames as the one that ``FilmWriter`` makes of the same pictures afterwards, if all have the size of
/// the first. One encoder is open for each 500 pictures. After a crash or a stop, the pictures since the last 500 are
/// encoded again; those before may be gone by then. Call ``run(_:)`` once.
package final class GrowingFilm: Sendable {
    /// The progress of a film.
    package enum Event: Sendable {
        /// The film continues after this number of pictures.
        case resumed(Int)
        /// The settings have changed: the film begins again with the pictures that are left.
        case restarted
        case skipped(SkippedPicture)
        /// This number of pictures is in the film, or skipped.
        case written(Int)
    }

    /// A film in its file.
    package struct Film: Sendable, Hashable {
        package let path: String
        /// The number of pictures that it shows.
        package let frameCount: Int
        package let duration: Duration
        package let size: FrameSize
        package let byteCount: Int
        /// The number of slots without a picture, and of files that were skipped.
        package let lackCount: Int
        /// The number of the line in the ledger of its last picture.
        package let line: Int
    }

    /// The end of a run.
    package enum Ending: Sendable, Hashable {
        /// The film is complete.
        case complete(Film)
        /// The film plays, and another run continues it.
        case interrupted
        /// The film has no picture, and no file.
        case empty
    }

    private let press: FilmPress
    private let rate: Fraction
    private let emit: @Sendable (Event) -> Void

    /// Creates a film.
    ///
    /// - Parameters:
    ///   - settings: The settings, with a rate in place of a length.
    ///   - path: The file of the film.
    ///   - rasterizer: Draws the time; needed if it is burnt in.
    ///   - emit: Receives events, in their order.
    package init(
        _ settings: FilmSettings, to path: String, _ rasterizer: (any Rasterizer)? = nil,
        encoders: EncoderCatalog = .shared, emit: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        rate = if case .rate(let rate) = settings.pace { rate } else { FilmSettings.usualRate }
        self.emit = emit
        press = FilmPress(settings, to: path, rasterizer, encoders) { event in
            switch event {
            case .written(let count): emit(.written(count))
            case .skipped(let picture): emit(.skipped(picture))
            case .saved: break
            }
        }
    }

    /// A film that was interrupted.
    package struct Unfinished: Sendable, Hashable {
        /// The name of its file.
        package let name: String
        /// The number of the line in the ledger before its first picture.
        package let start: Int
        /// The number of the last line whose picture is durable in it; `nil` if there is none.
        package let lastLine: Int?
    }

    /// Returns the films in a folder that were interrupted, by name. Blocks.
    package static func unfinished(in folder: String) -> [Unfinished] {
        FilmJournal.films(in: folder).sorted().compactMap { name in
            guard let found = FilmJournal.interrupted(ofFilm: "\(folder)/\(name)"), let start = found.start else {
                return nil
            }
            return Unfinished(name: name, start: start, lastLine: found.parts.last?.growth?.line)
        }
    }

    /// Forgets that a film was interrupted, which is complete. Blocks.
    package static func settle(_ path: String) throws(CaptureError) { try FilmJournal(ofFilm: path).remove() }

    /// Makes the film, or continues it, until the feed ends.
    ///
    /// - Parameter completing: Called when the film is complete and durable, before it counts as such: if a crash comes
    ///   before the end of the call, another run continues the film.
    /// - Throws: ``CaptureError``: `cannotCreate` with `EEXIST` if there is another file; `temporary` if another process
    ///   makes this film; `configuration` without an encoder; the errors of the feed and of `completing`. The film plays up
    ///   to its last fragment then, and another run continues it.
    package func run(
        _ feed: some PictureFeed, completing: @Sendable (Film) async throws(CaptureError) -> Void = { _ in }
    ) async throws(CaptureError) -> Ending {
        let (usual, first) = try await firstPicture(feed)
        guard let usual else { return first == .complete ? .empty : .interrupted }
        let film = try await press.film(FilmPlan.size(usual, press.settings), rate)
        let file = FilmFile(press.path)
        let start = try await file.open(digest(film), after: await feed.start) { $0 }
        report(start)
        do {
            let supply = try await supply(feed, film, usual, first, start.part.growth)
            return try await grow(file, film, from: start.part, supply, completing)
        } catch {
            await file.close()
            throw CaptureError(ofFilm: error, press.path)
        }
    }

    private func report(_ start: FilmFile.Start) {
        if start.hasChanged { emit(.restarted) }
        if start.part.pictureCount > 0 { emit(.resumed(start.part.pictureCount)) }
    }

    /// A new version of the program continues a film: its pictures may be gone.
    private func digest(_ film: FilmPress.Film) -> String { press.settingsDigest(film, version: "") }

    /// Returns the size of the first picture: by the journal if the film can be continued, otherwise with the picture itself.
    private func firstPicture(_ feed: some PictureFeed) async throws(CaptureError) -> (FrameSize?, FeedStep?) {
        let path = press.path
        if let found = await BlockingWork.run({ FilmJournal.interrupted(ofFilm: path) }),
            let usual = found.parts.last?.growth?.usual
        {
            let film = try await press.film(FilmPlan.size(usual, press.settings), rate)
            if found.settings == digest(film) { return (usual, nil) }
        }
        await feed.begin(after: nil)
        while true {
            let step = try await feed.next()
            switch step {
            case .picture(let first): return (first.picture.size, step)
            case .skipped(let picture): emit(.skipped(picture))
            case .complete, .interrupted: return (nil, step)
            }
        }
    }

    private func supply<Feed: PictureFeed>(
        _ feed: Feed, _ film: FilmPress.Film, _ usual: FrameSize, _ first: FeedStep?, _ growth: FilmJournal.Growth?
    ) async throws -> GrowingSupply<Feed> {
        var plan = GrowingPlan(press.settings, rate, usual: usual)
        if first == nil { await feed.begin(after: growth?.line) }
        if let growth {
            let brightness =
                press.settings.deflickers
                ? try await feed.brightness(upTo: growth.line, most: Deflicker.lookahead) : []
            plan.resume(after: growth.slot, levels: brightness.map { $0.map(PictureLevel.level) })
        }
        let emit = emit
        return GrowingSupply(feed, plan, try press.loader(film), after: growth, first: first) { emit(.skipped($0)) }
    }

    private func grow(
        _ file: FilmFile, _ film: FilmPress.Film, from start: FilmJournal.Part,
        _ supply: GrowingSupply<some PictureFeed>,
        _ completing: @Sendable (Film) async throws(CaptureError) -> Void
    ) async throws -> Ending {
        var supply = supply
        let part = try await press.encode(film, to: file, from: start, &supply).part
        guard part.frameCount > 0 else {
            // The journal of a film without frames has the line at which it begins.
            if supply.isComplete { await file.abandon() } else { await file.close() }
            return supply.isComplete ? .empty : .interrupted
        }
        let byteCount = try await file.finish()
        guard supply.isComplete, let growth = part.growth else {
            await file.close()
            return .interrupted
        }
        let made = Film(
            path: press.path, frameCount: part.frameCount, duration: FilmPlan.duration(ofUnits: part.unitCount, rate),
            size: film.size, byteCount: byteCount, lackCount: growth.lackCount, line: growth.line)
        try await completing(made)
        await file.complete()
        return .complete(made)
    }
}

/// Supplies the pictures of a feed, each when it can be encoded.
struct GrowingSupply<Feed: PictureFeed>: FrameSupply {
    private let feed: Feed
    private let loader: FrameLoader
    private let skip: @Sendable (SkippedPicture) -> Void
    private var plan: GrowingPlan
    private var ready: ArraySlice<GrowingPlan.Step> = []
    /// The film up to the last picture that was returned; `nil` before the first.
    private var growth: FilmJournal.Growth?
    private var first: FeedStep?
    private var end: FeedStep?

    /// - Parameters:
    ///   - growth: The film so far; `nil` for a new one.
    ///   - first: A step of the feed that was taken already.
    ///   - skip: Receives the files that are no pictures.
    init(
        _ feed: Feed, _ plan: GrowingPlan, _ loader: FrameLoader, after growth: FilmJournal.Growth?, first: FeedStep?,
        skip: @escaping @Sendable (SkippedPicture) -> Void
    ) {
        (self.feed, self.plan, self.loader) = (feed, plan, loader)
        (self.growth, self.first, self.skip) = (growth, first, skip)
    }

    var info: VideoInfo { loader.info }
    var hasEnded: Bool { end != nil && ready.isEmpty }
    var isComplete: Bool { end == .complete && ready.isEmpty }

    mutating func next(_ group: inout Loading) async throws -> Supplied? {
        while ready.isEmpty, end == nil { try await takeStep() }
        guard let step = ready.popFirst() else { return nil }
        let loader = loader
        let pixels = await Result { try await loader.load(step.frame, gain: step.gain) }
        note(step, isShown: (try? pixels.get()) != nil)
        return (step.frame, pixels)
    }

    private mutating func note(_ step: GrowingPlan.Step, isShown: Bool) {
        growth = FilmJournal.Growth(
            line: step.line, slot: step.frame.picture.slot, usual: plan.usual,
            lackCount: (growth?.lackCount ?? 0) + step.missingCount + (isShown ? 0 : 1))
    }

    private mutating func takeStep() async throws {
        let step: FeedStep
        if let first { step = first } else { step = try await feed.next() }
        first = nil
        switch step {
        case .picture(let next): ready += plan.add(next.picture, line: next.line)
        // Its slot counts as one without a picture.
        case .skipped(let picture): skip(picture)
        case .complete:
            end = step
            ready += plan.finish()
        case .interrupted: end = step
        }
    }

    func seal(_ part: inout FilmJournal.Part, after start: FilmJournal.Part) { part.growth = growth }
}
