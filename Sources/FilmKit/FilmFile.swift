// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PipelineKit
import SystemBase
import VideoKit

/// The file of a film, with its journal. Calls block a thread of this actor, and none of Swift's pool.
actor FilmFile {
    /// The state in which a film is found.
    struct Start: Sendable {
        /// The pictures that the film has already.
        var part = FilmJournal.Part()
        /// The pictures that the runs before have skipped.
        var skipped: [SkippedPicture] = []
        /// `true` if the film begins again, because its pictures or settings have changed.
        var hasChanged = false
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let executor = BlockingExecutor("gst-capture.film")
    private let path: String
    private var journal: FilmJournal?
    private var movie: FragmentedMovie?
    private var format: FragmentWriter.Video?
    /// The start of the movie that is continued; empty for a new one.
    private var initialization: [UInt8] = []
    /// The last part that the journal has.
    private var part = FilmJournal.Part()

    init(_ path: String) { self.path = path }

    /// Finds out whether the film was interrupted, and prepares it.
    ///
    /// - Parameters:
    ///   - settings: A hash of all settings that decide how the film looks.
    ///   - overwrites: `true` to replace any film of this name.
    ///   - line: For a film that grows with a series, the number of the line in the ledger before its first picture.
    ///   - valid: Returns the first parts of an interrupted film that are still valid.
    /// - Throws: ``CaptureError``: `cannotCreate` with `EEXIST` if there is a file that no run for this path has made;
    ///   `temporary` if another process makes this film.
    func open(
        _ settings: String, overwrites: Bool = false, after line: Int? = nil,
        _ valid: @Sendable ([FilmJournal.Part]) -> [FilmJournal.Part]
    ) throws(CaptureError) -> Start {
        let hasJournal = FilmJournal.exists(ofFilm: path)
        if DeviceFiles.exists(path), !hasJournal, !overwrites { throw Self.existing(path) }
        try StillFolder.make(StillFolder.path(of: path))
        let journal = try FilmJournal(ofFilm: path)
        let found = try journal.interrupted()
        let isOwn = found.map { FilmJournal.isMovie(path, of: $0) } ?? false
        guard isOwn || overwrites || !DeviceFiles.exists(path) else { throw Self.existing(path) }
        if let found, isOwn, !overwrites, found.settings == settings {
            let parts = valid(found.parts)
            if let last = parts.last {
                try journal.resume(found, after: parts.count)
                (self.journal, part, initialization) = (journal, last, found.initialization)
                return Start(part: last, skipped: parts.flatMap(\.skipped), hasChanged: false)
            }
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw .file(errno, path, "cannot be replaced") }
        try journal.begin(settings, after: line)
        self.journal = journal
        return Start(hasChanged: isOwn && !overwrites && found?.parts.isEmpty == false)
    }

    /// Prepares the movie for units of a format, which stays the same.
    func begin(_ caps: Caps) async throws(CaptureError) {
        let video = try FragmentWriter.Video(ofPictures: caps)
        guard format == nil || format == video else { throw .changedFormat(path) }
        guard movie == nil else { return }
        if initialization.isEmpty {
            let movie = try await FragmentedMovie.create(path, video)
            self.movie = movie
            try journal?.append(movie: path, movie.initialization)
        } else {
            guard try FragmentWriter(video: video).initialization == initialization else {
                throw CaptureError(
                    .configuration, "the encoder differs from that of the film so far", subject: path,
                    advice: "use --overwrite to make the film again")
            }
            movie = try await FragmentedMovie.continue(path, video, at: part.place, sampleCount: part.unitCount)
        }
        format = video
    }

    /// Writes a fragment.
    func append(_ units: [FragmentWriter.AccessUnit]) async throws(CaptureError) { try await movie?.append(units) }

    /// Makes a part durable, and records it.
    ///
    /// - Returns: The part with its place.
    func endPart(_ part: FilmJournal.Part) async throws(CaptureError) -> FilmJournal.Part {
        var part = part
        // All pictures of the last part can have been skipped: then there is no movie in this run.
        part.place = try await movie?.sync() ?? self.part.place
        try journal?.append(part)
        self.part = part
        return part
    }

    /// Makes an ordinary movie of the file.
    ///
    /// - Returns: The size of the file.
    func finish() async throws(CaptureError) -> Int {
        let byteCount =
            if let movie {
                try await movie.finish().byteCount
            } else {
                try await FragmentedMovie.finish(path, initialization, at: part.place).byteCount
            }
        movie = nil
        return byteCount
    }

    /// Removes the journal of a film that is complete and finished.
    func complete() {
        journal?.remove()
        journal = nil
    }

    /// Lets go of the file: it plays, and another run continues it.
    func close() { (movie, journal) = (nil, nil) }

    /// Removes a film without pictures.
    func abandon() async {
        await movie?.abandon()
        journal?.remove()
        (movie, journal) = (nil, nil)
    }

    /// The error of a name that is taken.
    static func existing(_ path: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "exists already", subject: path, advice: "use --overwrite, or choose another name",
            systemError: EEXIST)
    }
}

extension FragmentWriter.Video {
    /// The format of a film, whose colors are known: encoders do not state all of them.
    fileprivate init(ofPictures caps: Caps) throws(CaptureError) {
        let video = try FragmentWriter.Video(caps)
        self.init(
            configuration: video.configuration, width: video.width, height: video.height, color: .ofPictures)
    }
}
