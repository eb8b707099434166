// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for a program that sends requests.
struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read requests of a program from standard input, one JSON object a line; needs --json.", valueName: "stdin"),
        completion: .list(["stdin"]))
    var control: String?

    func validate() throws {
        guard control == nil || control == "stdin" else {
            throw ValidationError("--control \"\(control ?? "")\" is not known; give stdin")
        }
    }

    /// Checks the option against those for reports: answers are JSON.
    func check(_ reporting: ReportingOptions) throws {
        guard control == nil || reporting.json else {
            throw ValidationError("--control replies in JSON; add --json")
        }
    }
}
