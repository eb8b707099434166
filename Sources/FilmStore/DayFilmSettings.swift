// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipStore
import FilmKit
import LedgerKit
import PipelineKit
import PresetKit
import StillKit
import VideoKit

/// The settings of the films of a series: one film of each day.
package struct DayFilmSettings: Sendable, Equatable {
    let film: FilmSettings
    /// The path of the ledger of the series.
    let ledger: String
    /// The names of the films, in the folder `films` beside the pictures.
    let names: FileNameTemplate
    /// The limits of the films.
    let policy: StoragePolicy

    /// Reads the settings of a series; `nil` if it has no films.
    ///
    /// - Parameters:
    ///   - pictures: The names of its pictures; `nil` if they go to no files.
    ///   - ledger: The path of its ledger; `nil` if it has none.
    /// - Throws: ``CaptureError`` `.usage` that names the option at fault.
    package init?(
        _ settings: CaptureSettings, pictures: FileNameTemplate?, ledger: String?
    ) throws(CaptureError) {
        guard settings.film == .day else { return nil }
        guard let pictures, let ledger else {
            throw CaptureError(
                .usage, "needs pictures in files, and their ledger", subject: "--film",
                advice: "give an --output, and leave out --ledger off")
        }
        let format = settings.encoding ?? StillFormat(fileName: pictures.description) ?? .jpeg
        guard format == .jpeg || format == .png else {
            throw CaptureError(
                .usage, "is made of JPEG and PNG pictures, not of \(format)", subject: "--film",
                advice: "use -e jpeg, or leave out --film")
        }
        self.ledger = ledger
        film = try Self.film(settings)
        let folder = LedgerPlace.absolute(Self.folder(for: pictures)).replacing("%", with: "%%")
        names = try FileNameTemplate(parsing: "\(folder)/%Y-%m-%d.mp4")
        var limits = StorageLimits()
        (limits.maxAge, limits.policy) = (settings.filmMaxAge, .prune)
        policy = StoragePolicy(mount: settings.mount, limits: limits)
    }

    /// Returns the folder of the films of pictures with these names.
    package static func folder(for pictures: FileNameTemplate) -> String {
        let base = pictures.baseFolder
        return (base.hasSuffix("/") ? base : base + "/") + "films"
    }

    /// `true` if something is drawn into the frames.
    package var needsRasterizer: Bool { film.time != nil }

    /// The folder of the films.
    package var folder: String { names.baseFolder }

    /// The path of the list of the films.
    package var list: String { ClipFolder.accountPath(for: names) }

    private static func film(_ settings: CaptureSettings) throws(CaptureError) -> FilmSettings {
        var film = FilmSettings()
        if let rate = settings.filmRate {
            guard (1...120).contains(rate.numerator / rate.denominator), let fraction = Fraction(rate) else {
                throw CaptureError(.usage, "is out of range", subject: "--film-rate", advice: "give 1 to 120")
            }
            film.pace = .rate(fraction)
        }
        if let size = settings.filmSize {
            guard let width = size.width, let height = size.height else {
                throw CaptureError(
                    .usage, "needs a width and a height", subject: "--film-size", advice: "give one such as 1280x720")
            }
            film.size = FrameSize(width: width, height: height)
        }
        if let codec = settings.filmCodec {
            do throws(CaptureError) {
                film.encoder = try FilmSettings.encoder(named: codec)
            } catch {
                throw CaptureError(.usage, error.message, subject: "--film-codec", advice: error.advice)
            }
        }
        film.gaps = settings.filmGaps == .hold ? .hold : .jump
        (film.time, film.deflickers, film.bitRate) =
            (settings.filmTime, settings.filmDeflicker ?? false, settings.filmBitrate)
        return film
    }
}

extension Fraction {
    fileprivate init?(_ rate: FrameRate) {
        guard let numerator = Int32(exactly: rate.numerator), let denominator = Int32(exactly: rate.denominator) else {
            return nil
        }
        self.init(numerator, denominator)
    }
}
