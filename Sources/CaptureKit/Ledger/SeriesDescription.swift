// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What makes a series the one it is: who goes on with it has to say the same.
public struct SeriesDescription: Sendable, Hashable {
    /// How its files are named.
    public var template: String
    /// The time from slot to slot; `nil` where there is none.
    public var interval: Duration?
    /// When pictures are due, in words.
    public var schedule: String

    /// Creates a description.
    public init(template: String, interval: Duration?, schedule: String) {
        (self.template, self.interval, self.schedule) = (template, interval, schedule)
    }

    /// Describes what a configuration asks for, with names as the ledger at `place` has them.
    init(_ configuration: CaptureConfiguration, _ place: LedgerPlace) {
        let schedule = configuration.schedule
        switch configuration.output {
        case .files(let template): self.template = place.relative(template.description)
        case .standardOutput: template = "-"
        case .caller: template = ""
        }
        interval = schedule.interval
        self.schedule = schedule.words
    }

    /// What differs, in words.
    func differences(from other: SeriesDescription) -> [String] {
        var differences: [String] = []
        if other.template != template {
            differences.append("its files are \"\(other.template)\", not \"\(template)\"")
        }
        if other.schedule != schedule || other.interval != interval {
            differences.append("it is \(other.schedule), not \(schedule)")
        }
        return differences
    }
}
