// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A day of the week.
public enum Weekday: Int, Sendable, Hashable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// Creates the weekday of a day of the local calendar, counted from 1970, which began on a Thursday.
    init(day: Int64) {
        self = Self.allCases[Int((day + 3).remainder(modulo: 7))]
    }

    /// Parses a name, or its first three letters.
    init?(_ text: some StringProtocol) {
        let word = text.lowercased()
        guard let day = Self.allCases.first(where: { [$0.name, String($0.name.prefix(3))].contains(word) }) else {
            return nil
        }
        self = day
    }

    private var name: String { "\(self)" }
}

extension Weekday {
    /// Parses `mon`, `monday`, `mon-fri` or `sat-mon`.
    package static func parse(_ text: String) throws(InvalidValue) -> Set<Weekday> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        let days = ends.compactMap { Weekday($0) }
        guard days.count == ends.count, let first = days.first, let last = days.last, days.count <= 2 else {
            throw InvalidValue(
                "\(text.quoted) is not a day of the week", advice: "give days such as mon-fri or sat,sun")
        }
        let length = (last.rawValue - first.rawValue + 7) % 7
        return Set((0...length).map { allCases[(first.rawValue + $0) % 7] })
    }
}
