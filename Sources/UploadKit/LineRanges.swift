// Part of gst-capture. Apache License 2.0, see LICENSE.

import DatabaseKit

/// A set of lines of a ledger, as ranges. A line without a picture can be inside of a range, so a ledger of a year
/// needs few.
package struct LineRanges: Sendable, Hashable {
    /// The ranges from low to high; no two of them touch.
    package private(set) var ranges: [ClosedRange<Int>] = []

    package init(_ ranges: [ClosedRange<Int>] = []) { for range in ranges { insert(range) } }

    package func contains(_ line: Int) -> Bool {
        let index = ranges.partition { $0.upperBound >= line }
        return index < ranges.count && ranges[index].lowerBound <= line
    }

    /// Adds lines.
    package mutating func insert(_ range: ClosedRange<Int>) {
        // The first range that touches the new one, and the first after it that does not.
        let first = ranges.partition { $0.upperBound >= range.lowerBound - 1 }
        let last = ranges.partition { $0.lowerBound > range.upperBound + 1 }
        guard first < last else { return ranges.insert(range, at: first) }
        let joined =
            min(range.lowerBound, ranges[first].lowerBound)...max(range.upperBound, ranges[last - 1].upperBound)
        ranges.replaceSubrange(first..<last, with: [joined])
    }

    /// Returns the first range that ends at a line or after it; `nil` if there is none.
    package func range(from line: Int) -> ClosedRange<Int>? {
        let index = ranges.partition { $0.upperBound >= line }
        return index < ranges.count ? ranges[index] : nil
    }

    /// Returns the lines that are not in another set.
    package func subtracting(_ other: LineRanges) -> LineRanges {
        var result = LineRanges()
        var index = 0
        for range in ranges {
            var first = range.lowerBound
            while index < other.ranges.count, other.ranges[index].upperBound < first { index += 1 }
            var next = index
            while next < other.ranges.count, other.ranges[next].lowerBound <= range.upperBound {
                let hole = other.ranges[next]
                if first < hole.lowerBound { result.ranges.append(first...hole.lowerBound - 1) }
                first = max(first, hole.upperBound + 1)
                next += 1
            }
            if first <= range.upperBound { result.ranges.append(first...range.upperBound) }
        }
        return result
    }

    /// Returns the lines that are in both sets.
    package func intersection(_ other: LineRanges) -> LineRanges { subtracting(subtracting(other)) }

    /// Returns the lowest range of lines that are missing up to `last`; `nil` if there are none.
    package func lowestGap(upTo last: Int) -> ClosedRange<Int>? {
        guard last >= 1 else { return nil }
        var low = 1
        if let first = ranges.first, first.lowerBound <= 1 { low = first.upperBound + 1 }
        guard low <= last else { return nil }
        let next = ranges.partition { $0.lowerBound >= low }
        return low...(next < ranges.count ? min(last, ranges[next].lowerBound - 1) : last)
    }

    /// Returns the highest range of lines that are missing up to `last`; `nil` if there are none.
    package func highestGap(upTo last: Int) -> ClosedRange<Int>? {
        guard last >= 1 else { return nil }
        var index = ranges.partition { $0.lowerBound > last }
        var high = last
        if index > 0, ranges[index - 1].upperBound >= last {
            high = ranges[index - 1].lowerBound - 1
            index -= 1
        }
        guard high >= 1 else { return nil }
        return (index > 0 ? ranges[index - 1].upperBound + 1 : 1)...high
    }
}

extension [ClosedRange<Int>] {
    /// Returns the index of the first range for which `holds` is true; it must be true for all after it.
    fileprivate func partition(where holds: (ClosedRange<Int>) -> Bool) -> Int {
        indices.partition { holds(self[$0]) }
    }
}

extension Database {
    /// Returns ranges of lines, of which each row has the first and the last line.
    func lineRanges(_ query: String, _ values: [DatabaseValue]) throws(DatabaseError) -> LineRanges {
        let rows = try prepare(query, values)
        var ranges = LineRanges()
        while try rows.next() {
            let (first, last) = (Int(try rows.requiredInteger(0)), Int(try rows.requiredInteger(1)))
            guard 1 <= first, first <= last, last < .max else { throw rows.wrong(0) }
            ranges.insert(first...last)
        }
        return ranges
    }

    /// Adds lines to the ranges of a table that have the same key. Ranges that touch the lines are joined with them.
    ///
    /// - Parameter key: The columns before `first`, with their values.
    func insertLines(
        _ lines: ClosedRange<Int>, into table: String, _ key: KeyValuePairs<String, DatabaseValue>
    ) throws(DatabaseError) {
        let (columns, values) = (key.map(\.key), key.map(\.value))
        let touching = (columns.map { $0 + " = ?" } + ["first <= ?", "last >= ?"]).joined(separator: " AND ")
        let near: [DatabaseValue] = [.init(lines.upperBound + 1), .init(lines.lowerBound - 1)]
        let rows = try prepare("SELECT min(first), max(last) FROM \(table) WHERE \(touching)", values + near)
        guard try rows.next() else { throw rows.wrong(0) }
        let first = min(lines.lowerBound, Int(try rows.integer(0) ?? .max))
        let last = max(lines.upperBound, Int(try rows.integer(1) ?? .min))
        try insert("DELETE FROM \(table) WHERE \(touching)", values + near)
        let names = (columns + ["first", "last"]).joined(separator: ", ")
        let places = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
        try insert("INSERT INTO \(table)(\(names)) VALUES (\(places))", values + [.init(first), .init(last)])
    }
}
