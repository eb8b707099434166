// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import FilmKit
import PipelineKit
import PresetKit
import VideoKit

/// The options of a film.
package struct FilmOptions: ParsableArguments {
    @OptionGroup var choice: PictureChoiceOptions

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

    @Flag(help: "Remove flicker; trends and lasting changes of the light stay.")
    var deflicker = false

    @Flag(help: "Burn in the time of each picture.")
    var time = false

    @Option(help: ArgumentHelp("The format of the time (strftime); %Y-%m-%d %H:%M without it.", valueName: "format"))
    var timeFormat: String?

    @Option(
        help: ArgumentHelp("The encoder: auto, or an element such as x264enc.", valueName: "name"),
        completion: .list(["auto"] + H264Encoder.ofMachine.map(\.name)))
    var codec: String?

    @Option(help: ArgumentHelp("The quality of x264enc, 0 to 51; less is better, 23 is usual.", valueName: "number"))
    var quality: Int?

    @Option(help: ArgumentHelp("Bits a second, such as 8M, in place of a quality.", valueName: "rate"))
    var bitrate: String?

    @OptionGroup package var run: OutputOptions

    package init() {}

    /// `true` if something is drawn into the frames.
    package var needsRasterizer: Bool { time || timeFormat != nil }

    /// The path of the film.
    var path: String { output ?? "film.mp4" }

    /// The usual format of the time.
    private static let usualTime = "%Y-%m-%d %H:%M"

    /// Reads the options.
    ///
    /// - Throws: ``CaptureError`` `.usage` with an error for each mistake.
    package func settings() throws(CaptureError) -> FilmSettings {
        var (settings, errors) = (FilmSettings(), OptionErrors())
        choice.read(&errors, into: &settings)
        if rate != nil, length != nil { errors.addBoth("--rate", "--length") }
        if quality != nil, bitrate != nil { errors.addBoth("--quality", "--bitrate") }
        if let rate = errors.read("--rate", rate, FilmText.rate) { settings.pace = .rate(rate) }
        if let length = errors.read("--length", length, OptionText.length) { settings.pace = .length(length) }
        settings.size = errors.read("--size", size, FilmText.size)
        settings.crop = errors.read("--crop", crop, FilmText.crop)
        settings.gaps = errors.read("--gaps", gaps, OptionText.word) ?? settings.gaps
        settings.encoder =
            errors.read("--codec", codec) { text throws(CaptureError) in try FilmSettings.encoder(named: text) }
            ?? settings.encoder
        settings.bitRate = errors.read("--bitrate", bitrate, FilmText.bitRate)
        if let quality, !(0...51).contains(quality) {
            errors.add(
                CaptureError(.usage, "\(quality) is out of range", subject: "--quality", advice: "give 0 to 51"))
        }
        if !path.lowercased().hasSuffix(".mp4") {
            errors.add(
                CaptureError(
                    .usage, "\(path) is not the name of an MP4 file", subject: "--output", advice: "end it in .mp4"))
        }
        (settings.fills, settings.deflickers, settings.quality) = (fill, deflicker, quality)
        settings.time = timeFormat ?? (time ? Self.usualTime : nil)
        try errors.check()
        return settings
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

    /// Reads a bit rate such as `8M`.
    static func bitRate(_ text: String) throws(CaptureError) -> Int {
        do throws(InvalidValue) {
            return try SettingSyntax<Int>.bitRate.parse(.text(SourcedText(text: text)))
        } catch {
            throw CaptureError(.usage, error, subject: "--bitrate")
        }
    }
}
