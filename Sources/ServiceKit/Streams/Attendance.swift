// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The viewers of a stream, which come and go, and its end a while after the last one has left. Pure.
struct Attendance: Sendable {
    private var viewers: Set<Int> = []
    private var nextID = 0
    private var unusedSince: ClockTime?
    /// `true` after the end: no viewer can join.
    private(set) var hasEnded = false

    /// The number of viewers.
    var count: Int { viewers.count }

    /// `true` if a viewer has not left.
    func contains(_ id: Int) -> Bool { viewers.contains(id) }

    /// Adds a viewer; returns its ID, or `nil` after the end.
    mutating func join() -> Int? {
        guard !hasEnded else { return nil }
        nextID += 1
        viewers.insert(nextID)
        unusedSince = nil
        return nextID
    }

    /// Removes a viewer. Returns `true` if it was the last one.
    mutating func leave(_ id: Int, at now: ClockTime) -> Bool {
        guard viewers.remove(id) != nil, viewers.isEmpty else { return false }
        unusedSince = now
        return true
    }

    /// Ends the stream.
    mutating func end() { hasEnded = true }

    /// Ends a stream that has had no viewers for a while.
    ///
    /// - Returns: The time until then; zero if the stream has ended, `nil` if there are viewers.
    mutating func endIfUnused(for span: Duration, at now: ClockTime) -> Duration? {
        if hasEnded { return .zero }
        guard let unusedSince else { return nil }
        let rest = span - (now - unusedSince)
        guard rest <= .zero else { return rest }
        end()
        return .zero
    }
}
