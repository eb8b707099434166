// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the reports of a capture.
struct ReportingOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Use the preset of this name, or in this file.", valueName: "name|file"),
        completion: .presets)
    var preset: String?

    @Flag(help: "One JSON object a line on standard output; on standard error if pictures go to standard output.")
    var json = false

    @Flag(help: "Print only paths and errors, no progress.")
    var quiet = false

    @Flag(help: "Print the pipeline in gst-launch syntax, and the plan; open no camera.")
    var dryRun = false
}
