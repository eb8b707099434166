// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import FilmCommands
import OverlayCompositor
import TerminalKit

/// Makes contact sheets of pictures.
struct SheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheet",
        abstract: "Make a contact sheet of the pictures of a folder, a series or an album.",
        discussion: SheetOptions.discussion
    ).parsedAlone

    @OptionGroup var options: SheetOptions

    func run() async throws {
        let isQuiet = options.run.json || options.run.quiet
        try await PictureJobRun.run(
            SheetJob(options) { () throws(CaptureError) in
                await GStreamerStart.finished { if !isQuiet { Console().warn($0.description) } }
                return try RasterProcess.installed()
            })
    }
}
