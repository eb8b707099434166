// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import PresetKit
import TerminalKit

/// Lists, prints and checks presets.
struct PresetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presets",
        abstract: "List, show and check presets, which are named settings.",
        discussion: """
            A preset is a YAML file whose keys are the options of a capture. gst-capture searches \
            ~/.config/gst-capture, /etc/gst-capture, the folder where gst-capture is installed, and last the folder \
            pipelines here; the first file of a name is used. A path, or a name that ends in .yaml, is that file.

            A preset that is found by name in the folder pipelines here must not run commands or GStreamer elements \
            (exec-*, source, decode, preview-sink, sound): give its path if you trust it.

            Examples:
              gst-capture presets
              gst-capture presets show usb-mjpeg-1080p > mine.yaml
              gst-capture presets check mine.yaml
              gst-capture snap --preset mine.yaml
            """,
        subcommands: [List.self, Show.self, Check.self],
        defaultSubcommand: List.self
    )
}

extension PresetsCommand {
    /// Lists the presets that are found.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the presets that are found (the default).")

        @Flag(help: "One JSON object a line: name, description, path, error.")
        var json = false

        func run() {
            let entries = PresetLibrary().entries
            if entries.isEmpty, !json { Console().report("no presets are found; see gst-capture help presets") }
            for entry in entries {
                let listing = PresetListing(entry)
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
        }
    }

    /// Prints a preset's file.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a preset's file, to copy and edit.")

        @Argument(help: "Its name, or its file.", completion: .presets)
        var name: String

        func run() throws {
            // Reading a preset runs nothing, so any path is safe.
            StandardStream.output.write(try Preset(path: PresetLibrary().path(name)).text)
        }
    }

    /// Checks presets.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check presets, and print mistakes with line and column.")

        @Argument(help: "Names, or files.", completion: .file(extensions: ["yaml", "yml"]))
        var files: [String]

        func run() async throws { try await FileCheck(errors: errors).run(files) }

        private func errors(in file: String) throws(CaptureError) -> [CaptureError] {
            let path = try PresetLibrary().path(file)
            let errors = Preset.errors(inFile: path)
            if errors.isEmpty { try check(Preset(path: path)) }
            return errors
        }

        // Checks how the settings fit together.
        private func check(_ preset: Preset) throws(CaptureError) {
            do throws(CaptureError) {
                try CaptureConfiguration.checkWithOutbox(preset.settings, mode: preset.settings.mode ?? .snap)
            } catch {
                throw CaptureError(.configuration, "\(error)", subject: preset.path)
            }
        }
    }
}
