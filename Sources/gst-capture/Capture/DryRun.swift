// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import PresetKit
import TerminalKit

/// Describes a capture without performing it.
struct DryRun {
    private let configuration: CaptureConfiguration
    private let pipeline: String

    /// Plans a capture without opening a camera.
    init(_ configuration: CaptureConfiguration) throws(CaptureError) {
        self.configuration = configuration
        pipeline = try configuration.pipelineDescription()
    }

    /// Prints the pipeline on standard output and, for people, a description on standard error.
    func report(asJSON: Bool) {
        StandardStream.output.line(asJSON ? json.text : pipeline)
        if !asJSON { for line in [sentence] + details { StandardStream.error.line(line) } }
    }

    /// The capture in words: `would take 12 pictures, one every 5 s, as JPEG to %n.jpg`.
    var sentence: String {
        let schedule = configuration.schedule
        let total = schedule.total(goingOn: configuration.position)
        var text = "would take " + (total.map { Wording.count($0, "picture") } ?? "pictures")
        if let interval = schedule.interval { text += ", one every \(Wording.span(interval))" }
        if total == nil { text += schedule.isOnRequest ? " on request" : " until it is stopped" }
        if configuration.burst > 1 { text += ", each a burst of \(configuration.burst)" }
        if configuration.delay > .zero { text += ", after \(Wording.span(configuration.delay))" }
        return text + ", as \(configuration.still.rawValue) to \(configuration.destination); no camera was opened"
    }

    /// The other settings of a series: schedule, limits, recovery, standby and ledger. Empty without an interval.
    var details: [String] {
        let schedule = configuration.schedule
        guard schedule.interval != nil else { return [] }
        let ends = [
            schedule.until.map { "until \($0)" }, schedule.length.map { "for \($0.shortText)" },
            firstDue.map { "next \(Wording.moment($0, at: PipelineClock.system.now))" },
        ]
        return [
            "schedule: \(([schedule.words] + ends.compactMap { $0 }).joined(separator: ", "))",
            configuration.limits.words.map { "limits: \($0)" },
            "a lost camera \(configuration.recovery.words)",
            configuration.standsBy ? "the camera is closed between pictures" : nil,
            "ledger: \(configuration.ledger ?? "off")",
        ].compactMap { $0 }
    }

    /// The moment at which the first slot is due; `nil` if it is due within a second.
    private var firstDue: ClockTime? {
        let now = PipelineClock.system.now
        let first = configuration.schedule.firstDue(goingOn: configuration.position, from: now)
        return first.flatMap { $0 > now + .seconds(1) ? $0 : nil }
    }

    private var json: JSONValue {
        let schedule = configuration.schedule
        return JSONEventPrinter.event(
            "plan",
            [
                "pipeline": .string(pipeline),
                "slots": schedule.total(goingOn: configuration.position).map(JSONValue.integer) ?? .null,
                "interval_ms": schedule.interval.map(JSONValue.milliseconds) ?? .null,
                "schedule": .string(schedule.words),
                "until": schedule.until.map { .string("\($0)") },
                "for_ms": schedule.length.map(JSONValue.milliseconds),
                "first_due": firstDue.map { .string(Timestamp.iso8601($0)) },
                "burst": .integer(configuration.burst), "encoding": .string(configuration.still.rawValue),
                "output": .string(configuration.destination), "limits": .optional(configuration.limits.words),
                "recover": .string("\(configuration.recovery)"), "standby": .bool(configuration.standsBy),
                "ledger": .optional(configuration.ledger),
            ])
    }
}

extension CaptureConfiguration {
    /// The destination of pictures, in words.
    var destination: String {
        switch output {
        case .files(let template): "\(template)"
        case .standardOutput: "standard output"
        case .caller: "the caller"
        }
    }
}

extension StorageLimits {
    /// `2.00 GB stay free, 100 pictures at most; then prune`; `nil` if there are no limits.
    fileprivate var words: String? {
        let parts = [
            keepFree.map { "\($0.words) stay free" }, maxSize.map { "\(Wording.bytes($0)) at most" },
            maxCount.map { "\(Wording.count($0, "picture")) at most" }, maxAge.map { "\($0.shortText) old at most" },
            maxAgeSent.map { "\($0.shortText) old at most when sent" }, keepsUnsent ? "unsent ones stay" : nil,
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + "; then \(policy)"
    }
}

extension FreeSpaceFloor {
    fileprivate var words: String {
        switch self {
        case .bytes(let count): Wording.bytes(count)
        case .share(let share): "\(Int((share * 100).rounded()))%"
        }
    }
}

extension Recovery {
    fileprivate var words: String {
        switch self {
        case .off: "ends it"
        case .always: "is opened again until it is back"
        case .limited(let span): "is opened again for \(span.shortText)"
        }
    }
}
