// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import PresetKit
import TerminalKit

/// Lists, prints and draws outlines.
struct OutlinesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outlines",
        abstract: "List, show and draw the outlines that help a subject line up.",
        discussion: """
            An outline is an SVG file. gst-capture searches the folder outlines beside the presets: \
            ~/.config/gst-capture/outlines, /etc/gst-capture/outlines, the folder where gst-capture is installed, and \
            last pipelines/outlines here; the first file of a name is used.

            Examples:
              gst-capture outlines
              gst-capture outlines render face -o look.png
              gst-capture outlines render -o looks/%.png
              gst-capture outlines render 'dim:card,card;color=#0f0' --over photo.jpg -o look.png
              gst-capture outlines show face > ~/.config/gst-capture/outlines/mine.svg
              gst-capture preview --overlay mine

            Lines with stroke="currentColor" get the requested color, and 1em is the width of the stroke. dim leaves \
            the closed shape with the id subject bright; a crop keeps the shape with the id crop, or else that shape.
            """,
        subcommands: [List.self, Show.self, Render.self],
        defaultSubcommand: List.self
    )
}

extension OutlinesCommand {
    /// Lists the outlines that are found.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the outlines that are found (the default).")

        @Flag(help: "One JSON object a line: name, title, path.")
        var json = false

        func run() {
            let entries = OutlineLibrary().entries
            if entries.isEmpty, !json { Console().report("no outlines are found; see gst-capture help outlines") }
            for entry in entries {
                let listing = OutlineListing(entry)
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
        }
    }

    /// Prints an outline's file.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print an outline's SVG, to copy and edit.")

        @Argument(help: "Its name, or its file.", completion: .layers)
        var name: String

        func run() throws {
            StandardStream.output.write(try OutlineLibrary().text(name))
        }
    }
}
