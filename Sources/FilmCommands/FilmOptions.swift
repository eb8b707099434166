// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import FilmKit
import LedgerKit
import PipelineKit
import PresetKit
import VideoKit

/// The options of a film.
package struct FilmOptions: ParsableArguments {
    @Argument(
        help: "A folder of pictures, an album, or a ledger. A folder with one ledger is its series.",
        completion: .directory)
    package var source: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The film, which ends in .mp4; film.mp4 without it.", valueName: "name"),
        completion: .file())
    package var output: String?

    @Option(help: ArgumentHelp("Pictures a second, such as 30, 12.5 or 30000/1001.", valueName: "rate"))
    var rate: String?

    @Option(help: ArgumentHelp("The length of the film, in place of a rate, such as 20s.", valueName: "time"))
    var length: String?

    @Option(help: ArgumentHelp("The size of the film; that of most pictures without it.", valueName: "size"))
    var size: String?

    @Option(help: ArgumentHelp("The part of the pictures to show, such as 1280x720+100+50.", valueName: "part"))
    var crop: String?

    @Flag(help: "Cut pictures of another shape; they have bars without it.")
    var fill = false

    @Option(
        help: ArgumentHelp("Where pictures are missing: jump to the next one, or hold the last.", valueName: "way"),
        completion: .list(FilmSettings.Gaps.allCases.map(\.rawValue)))
    var gaps: String?

    @Option(
        help: ArgumentHelp("The order of a folder's pictures: name or time.", valueName: "order"),
        completion: .list(FilmSettings.Order.allCases.map(\.rawValue)))
    var order: String?

    @Flag(help: "Remove flicker; trends and lasting changes of the light stay.")
    var deflicker = false

    @Flag(help: "Burn in the time of each picture.")
    var time = false

    @Option(help: ArgumentHelp("The format of the time (strftime); %Y-%m-%d %H:%M without it.", valueName: "format"))
    var timeFormat: String?

    @Option(help: ArgumentHelp("Only pictures of this camera, as the report names it.", valueName: "name"))
    var camera: String?

    @Option(help: ArgumentHelp("Only pictures of this time or later: 18:00, 2026-11-21, 2h ago.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only pictures before this time.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp("The encoder: auto, or an element such as x264enc.", valueName: "name"),
        completion: .list(["auto"] + H264Encoder.ofMachine.map(\.name)))
    var codec: String?

    @Option(help: ArgumentHelp("The quality of x264enc, 0 to 51; less is better, 23 is usual.", valueName: "number"))
    var quality: Int?

    @Option(help: ArgumentHelp("Bits a second, such as 8M, in place of a quality.", valueName: "rate"))
    var bitrate: String?

    @Flag(help: "Replace a film of this name.")
    package var overwrite = false

    @Flag(help: "Print the plan and the report; read no pixels, and write nothing.")
    package var dryRun = false

    @Flag(help: "One JSON object a line on standard output.")
    package var json = false

    @Flag(help: "Print only the path and errors.")
    package var quiet = false

    package init() {}

    /// `true` if something is drawn into the frames.
    package var needsRasterizer: Bool { time || timeFormat != nil }

    /// The path of the film.
    package var path: String { output ?? "film.mp4" }

    /// The usual format of the time.
    private static let usualTime = "%Y-%m-%d %H:%M"

    /// Reads the options.
    ///
    /// - Throws: ``CaptureError`` `.usage` with an error for each mistake.
    package func settings() throws(CaptureError) -> FilmSettings {
        var (settings, errors): (FilmSettings, [CaptureError]) = (FilmSettings(), [])
        func read<Value>(
            _ option: String, _ text: String?, _ body: (String) throws(CaptureError) -> Value
        ) -> Value? {
            guard let text else { return nil }
            do throws(CaptureError) {
                return try body(text)
            } catch {
                errors.append(CaptureError(.usage, error.message, subject: option, advice: error.advice))
                return nil
            }
        }
        if rate != nil, length != nil { errors.append(Self.both("--rate", "--length")) }
        if quality != nil, bitrate != nil { errors.append(Self.both("--quality", "--bitrate")) }
        if let rate = read("--rate", rate, FilmText.rate) { settings.pace = .rate(rate) }
        if let length = read("--length", length, FilmText.length) { settings.pace = .length(length) }
        settings.size = read("--size", size, FilmText.size)
        settings.crop = read("--crop", crop, FilmText.crop)
        settings.gaps = read("--gaps", gaps, FilmText.word) ?? settings.gaps
        settings.order = read("--order", order, FilmText.word) ?? settings.order
        settings.since = read("--since", since) { text throws(CaptureError) in try LedgerFilter.moment(parsing: text) }
        settings.until = read("--until", until) { text throws(CaptureError) in try LedgerFilter.moment(parsing: text) }
        settings.encoder =
            read("--codec", codec) { text throws(CaptureError) in try FilmSettings.encoder(named: text) } ?? settings.encoder
        settings.bitRate = read("--bitrate", bitrate, FilmText.bitRate)
        if let quality, !(0...51).contains(quality) {
            errors.append(
                CaptureError(.usage, "\(quality) is out of range", subject: "--quality", advice: "give 0 to 51"))
        }
        if !path.lowercased().hasSuffix(".mp4") {
            errors.append(
                CaptureError(
                    .usage, "\(path) is not the name of an MP4 file", subject: "--output", advice: "end it in .mp4"))
        }
        (settings.fills, settings.deflickers, settings.quality, settings.camera) = (fill, deflicker, quality, camera)
        settings.time = timeFormat ?? (time ? Self.usualTime : nil)
        if let error = CaptureError.joining(errors) { throw error }
        return settings
    }

    private static func both(_ option: String, _ other: String) -> CaptureError {
        CaptureError(.usage, "\(option) and \(other): one is enough", advice: "leave one out")
    }
}

/// The values of the options.
enum FilmText {
    /// Reads a rate such as `30`, `12.5` or `30000/1001`.
    static func rate(_ text: String) throws(CaptureError) -> Fraction {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let fraction: Fraction? =
            if parts.count == 2, let above = Int32(parts[0]), let below = Int32(parts[1]), above > 0, below > 0 {
                Fraction(above, below)
            } else if parts.count == 1, text.utf8.count <= 12, let rate = Double(text), (0.1...120).contains(rate) {
                rate == rate.rounded() ? Fraction(Int32(rate), 1) : Fraction(Int32((rate * 1000).rounded()), 1000)
            } else {
                nil
            }
        guard let fraction, (0.1...120).contains(fraction.doubleValue), fraction.denominator <= 100_000 else {
            throw CaptureError(
                .usage, "\(text.quoted) is not a rate of 0.1 to 120", advice: "give one such as 30 or 12.5")
        }
        return fraction
    }

    /// Reads a length.
    static func length(_ text: String) throws(CaptureError) -> Duration {
        let length = try Duration(parsing: text)
        guard length > .zero else { throw CaptureError(.usage, "is zero", advice: "give one such as 20s") }
        return length
    }

    /// Reads a size such as `1280x720`, whose numbers are even.
    static func size(_ text: String) throws(CaptureError) -> FrameSize {
        guard let size = VideoSize(text), let width = size.width, let height = size.height,
            width.isMultiple(of: 2), height.isMultiple(of: 2),
            FrameSize(width: width, height: height).ofFilm.width == width,
            FrameSize(width: width, height: height).ofFilm.height == height
        else {
            throw CaptureError(
                .usage, "\(text.quoted) is not a size of a film",
                advice: "give two even numbers up to \(FrameSize.most), such as 1280x720")
        }
        return FrameSize(width: width, height: height)
    }

    /// Reads a part such as `1280x720+100+50`.
    static func crop(_ text: String) throws(CaptureError) -> CropRectangle {
        let numbers = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "+" }.map { part in
            part.utf8.count <= 6 && part.utf8.allSatisfy(\.isDigit) ? Int(part) : nil
        }
        let signs = text.filter { $0 == "x" || $0 == "+" }
        guard signs == "x++", numbers.count == 4, let width = numbers[0], let height = numbers[1], let x = numbers[2],
            let y = numbers[3], width >= 2, height >= 2
        else {
            throw CaptureError(
                .usage, "\(text.quoted) is not a part of a picture",
                advice: "give width, height and the distances from the left and the top: 1280x720+100+50")
        }
        return CropRectangle(x: x, y: y, width: width, height: height)
    }

    /// Reads one of several words.
    static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws(CaptureError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            throw CaptureError(
                .usage, "\(text.quoted) is not known", advice: "give \(Word.allCases.map(\.rawValue).alternatives)")
        }
        return word
    }

    /// Reads a bit rate such as `8M`.
    static func bitRate(_ text: String) throws(CaptureError) -> Int {
        do throws(InvalidValue) {
            return try SettingSyntax<Int>.bitRate.parse(.text(SourcedText(text: text)))
        } catch {
            throw CaptureError(.usage, error, subject: "--bitrate")
        }
    }
}
