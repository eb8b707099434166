// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// What a capture would do, without doing it.
struct DryRun {
    private let configuration: CaptureConfiguration
    private let pipeline: String

    /// Plans a capture; no camera is opened.
    init(_ configuration: CaptureConfiguration) throws(CaptureError) {
        self.configuration = configuration
        pipeline = try configuration.pipelineDescription()
    }

    /// Prints the pipeline on standard output, and for people what would be done on standard error.
    func tell(asJSON: Bool) {
        StandardStream.output.line(asJSON ? json.text : pipeline)
        if !asJSON { StandardStream.error.line(sentence) }
    }

    /// What would be done, in words: `would take 12 pictures, one every 5 s, as JPEG to %n.jpg`.
    var sentence: String {
        let schedule = configuration.schedule
        let total = schedule.total()
        var text = "would take " + (total.map { Wording.count($0, "picture") } ?? "pictures")
        if let interval = schedule.interval { text += ", one every \(Wording.span(interval))" }
        if total == nil { text += schedule.isOnRequest ? " at the press of a key" : " until it is stopped" }
        if configuration.burst > 1 { text += ", each a burst of \(configuration.burst)" }
        if configuration.delay > .zero { text += ", after \(Wording.span(configuration.delay))" }
        return text + ", as \(configuration.still.rawValue) to \(destination); no camera was opened"
    }

    private var destination: String {
        switch configuration.output {
        case .files(let template): "\(template)"
        case .standardOutput: "standard output"
        case .caller: "the caller"
        }
    }

    private var json: JSONValue {
        let schedule = configuration.schedule
        return JSONEventPrinter.event(
            "plan",
            [
                "pipeline": .string(pipeline), "slots": schedule.total().map(JSONValue.integer) ?? .null,
                "interval_ms": schedule.interval.map(JSONValue.milliseconds) ?? .null,
                "burst": .integer(configuration.burst), "encoding": .string(configuration.still.rawValue),
                "output": .string(destination),
            ])
    }
}
