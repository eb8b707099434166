// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Lists, shows and checks presets.
struct PresetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presets",
        abstract: "List, show and check settings that have a name.",
        discussion: """
            A preset is a YAML file whose keys are the options of a capture. Presets are looked for in the working \
            folder and its folder pipelines, in ~/.config/gst-capture, in /etc/gst-capture and where gst-capture is \
            installed; the first of a name wins.

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
    /// Lists what is found.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the presets that are found (the default).")

        @Flag(help: "One JSON object a line: name, description, path, error.")
        var json = false

        func run() {
            for entry in PresetLibrary().entries {
                let listing = PresetListing(entry)
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
        }
    }

    /// Prints a preset's file.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a preset as it is written, to copy and edit.")

        @Argument(help: "Its name, or its file.", completion: .presets)
        var name: String

        func run() throws {
            let path = try PresetLibrary().preset(name).path
            guard let text = SystemFile.text(path) else {
                throw CaptureError(.noInput, "cannot be read", subject: path)
            }
            StandardStream.output.line(text)
        }
    }

    /// Checks files.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Say what is wrong in presets, with line and column.")

        @Argument(help: "Names, or files.", completion: .file(extensions: ["yaml", "yml"]))
        var files: [String]

        func run() throws {
            let errors = files.compactMap(check)
            if let first = errors.first { throw ExitStatus(first) }
        }

        private func check(_ file: String) -> CaptureError? {
            do throws(CaptureError) {
                let preset = try PresetLibrary().preset(file)
                StandardStream.output.line("\(preset.path): good")
                return nil
            } catch {
                Console().report(error)
                return error
            }
        }
    }
}
