// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureBase
import FilmKit
import LedgerKit

/// The pictures of a film or of a contact sheet.
package struct PictureChoiceOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A folder of pictures, an album's folder, or a ledger; - reads a list of paths. A folder with one ledger "
                + "is its series."),
        completion: .directory)
    var source: String?

    @Option(help: ArgumentHelp("The pictures of an album of the library, by time.", valueName: "title"))
    var album: String?

    @Option(
        help: ArgumentHelp("The order of the pictures: name or time.", valueName: "order"),
        completion: .list(FilmSettings.Order.allCases.map(\.rawValue)))
    var order: String?

    @Option(help: ArgumentHelp("Only pictures of this camera, as the report names it.", valueName: "name"))
    var camera: String?

    @Option(help: ArgumentHelp("Only pictures of this time or later: 18:00, 2026-11-21, 2h ago.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only pictures before this time.", valueName: "time"))
    var until: String?

    package init() {}

    package func validate() throws {
        switch (source, album) {
        case (nil, nil): throw ValidationError("name a folder, an --album, or - for a list of paths")
        case (.some, .some): throw ValidationError("a folder and --album: one is enough")
        default: break
        }
    }

    /// The name of the pictures in messages.
    var name: String { album ?? (source == PictureList.name ? PictureList.subject : source ?? "") }

    /// The order without `--order`: albums and lists are by time, because their names mean nothing.
    private var usualOrder: FilmSettings.Order { album != nil || source == PictureList.name ? .time : .name }

    /// Reads the options into settings.
    func read(_ errors: inout OptionErrors, into settings: inout FilmSettings) {
        settings.order = errors.read("--order", order, OptionText.word) ?? usualOrder
        settings.since = errors.read("--since", since) { text throws(CaptureError) in
            try LedgerFilter.moment(parsing: text)
        }
        settings.until = errors.read("--until", until) { text throws(CaptureError) in
            try LedgerFilter.moment(parsing: text)
        }
        settings.camera = camera
    }

    /// Reads the heads of the pictures. Blocks.
    ///
    /// - Throws: ``CaptureError`` as ``FilmSource`` does; `noInput` if there is no such album.
    func pictures() throws(CaptureError) -> FilmSource {
        if let album { return try FilmSource(try AlbumFolder.path(of: album)) }
        guard let source, source != PictureList.name else {
            return try FilmSource(files: try PictureList.read(), of: PictureList.title)
        }
        return try FilmSource(source)
    }
}

/// The options of a run: replaced files, and output.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Replace files that exist.")
    package var overwrite = false

    @Flag(help: "Print the plan and the report; read no pixels, and write nothing.")
    package var dryRun = false

    @Flag(help: "One JSON object a line on standard output.")
    package var json = false

    @Flag(help: "Print only the paths of files, and errors.")
    package var quiet = false

    package init() {}
}

/// Collects the mistakes in options, so that the user sees all of them at once.
struct OptionErrors {
    private var errors: [CaptureError] = []

    /// Reads the value of an option; `nil` without the option, or after a mistake.
    mutating func read<Value>(
        _ option: String, _ text: String?, _ body: (String) throws(CaptureError) -> Value
    ) -> Value? {
        guard let text else { return nil }
        do throws(CaptureError) {
            return try body(text)
        } catch {
            add(CaptureError(.usage, error.message, subject: option, advice: error.advice))
            return nil
        }
    }

    /// Adds a mistake.
    mutating func add(_ error: CaptureError) { errors.append(error) }

    /// Adds that two options exclude each other.
    mutating func addBoth(_ option: String, _ other: String) {
        add(CaptureError(.usage, "\(option) and \(other): one is enough", advice: "leave one out"))
    }

    /// - Throws: ``CaptureError`` `.usage` with a line for each mistake.
    func check() throws(CaptureError) { if let error = CaptureError.joining(errors) { throw error } }
}

/// The values of options that several commands have.
enum OptionText {
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

    /// Reads a length of time.
    static func length(_ text: String) throws(CaptureError) -> Duration {
        let length = try Duration(parsing: text)
        guard length > .zero else { throw CaptureError(.usage, "is zero", advice: "give one such as 20s") }
        return length
    }
}
