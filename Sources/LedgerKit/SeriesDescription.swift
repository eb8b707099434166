// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The identity of a series: a run that resumes the series must have an equal description.
public struct SeriesDescription: Sendable, Hashable {
    /// The template of its file names.
    public var template: String
    /// The time from slot to slot; `nil` if there is none.
    public var interval: Duration?
    /// When pictures are due, in words.
    public var schedule: String

    /// Creates a description.
    public init(template: String, interval: Duration?, schedule: String) {
        (self.template, self.interval, self.schedule) = (template, interval, schedule)
    }

    /// Returns in words how `other`, the series of a ledger, differs from this one.
    package func differences(from other: SeriesDescription) -> [String] {
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
