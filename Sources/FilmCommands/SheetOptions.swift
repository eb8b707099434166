// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import FilmKit
import StillKit

/// The options of contact sheets.
package struct SheetOptions: ParsableArguments {
    @OptionGroup var choice: PictureChoiceOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The sheet, which ends in .jpg or .png; sheet.jpg without it.", valueName: "name"),
        completion: .file(extensions: ["jpg", "jpeg", "png"]))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "At most this many pictures, evenly by time; 0 for all, on several sheets. 100 without it.",
            valueName: "number"))
    var most: Int?

    @Option(help: ArgumentHelp("One picture for each interval, such as 1h, on several sheets.", valueName: "time"))
    var every: String?

    @Option(help: ArgumentHelp("The number of columns; one that suits A4 without it.", valueName: "number"))
    var columns: Int?

    @Option(help: ArgumentHelp("The width of a sheet in pixels; 3508 without it, A4 at 300 dpi.", valueName: "pixels"))
    var size: Int?

    @Option(
        help: ArgumentHelp("The text below each picture: time, name or none.", valueName: "text"),
        completion: .list(SheetSettings.Caption.allCases.map(\.rawValue)))
    var caption: String?

    @Option(help: ArgumentHelp("The format of the time (strftime); one that suits without it.", valueName: "format"))
    var timeFormat: String?

    @OptionGroup package var run: OutputOptions

    package init() {}

    /// The path of the first sheet.
    var path: String { output ?? "sheet.jpg" }

    /// Reads the options.
    ///
    /// - Returns: The choice of the pictures, and how they are shown.
    /// - Throws: ``CaptureError`` `.usage` with an error for each mistake.
    package func settings() throws(CaptureError) -> (pictures: FilmSettings, sheet: SheetSettings) {
        var (pictures, sheet, errors) = (FilmSettings(), SheetSettings(), OptionErrors())
        choice.read(&errors, into: &pictures)
        if most != nil, every != nil { errors.addBoth("--most", "--every") }
        if let most {
            check(most, 0...Int.max, "--most", &errors)
            sheet.choice = most == 0 ? .all : .most(most)
        }
        if let every = errors.read("--every", every, OptionText.length) { sheet.choice = .every(every) }
        if let columns { check(columns, 1...100, "--columns", &errors) }
        if let size { check(size, SheetSettings.widths, "--size", &errors) }
        (sheet.columns, sheet.width) = (columns, size ?? sheet.width)
        sheet.caption = errors.read("--caption", caption, OptionText.word) ?? sheet.caption
        sheet.timeFormat = timeFormat
        let format = StillFormat(fileName: path)
        if format != .jpeg, format != .png {
            errors.add(
                CaptureError(
                    .usage, "\(path) is not the name of a JPEG or PNG file", subject: "--output",
                    advice: "end it in .jpg or .png"))
        }
        try errors.check()
        return (pictures, sheet)
    }

    private func check(_ number: Int, _ range: ClosedRange<Int>, _ option: String, _ errors: inout OptionErrors) {
        guard !range.contains(number) else { return }
        let advice =
            range.upperBound == .max
            ? "give \(range.lowerBound) or more" : "give \(range.lowerBound) to \(range.upperBound)"
        errors.add(CaptureError(.usage, "\(number) is out of range", subject: option, advice: advice))
    }
}
