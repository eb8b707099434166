// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The viewers of one encoder, and its newest picture. Pure.
///
/// A viewer gets only the newest picture, and none twice. A picture is encoded only if a viewer waits for one.
struct StreamViewers: Sendable {
    /// The answer to a viewer that asks for a picture.
    enum Answer {
        case picture(StreamPicture)
        /// There is none that the viewer has not seen.
        case wait
        /// The stream has ended, or the viewer has left.
        case end
    }

    private struct Viewer {
        /// The number of the last picture that the viewer got.
        var seen: Int
        var isWaiting = false
    }

    private var viewers: [Int: Viewer] = [:]
    private var nextID = 0
    private var newest: (picture: StreamPicture, number: Int)?
    private var number = 0
    private var unusedSince: ClockTime?
    /// `true` after the end: no viewer can join.
    private(set) var hasEnded = false

    /// The number of viewers.
    var count: Int { viewers.count }
    /// `true` if a viewer waits for a picture.
    var isWanted: Bool { viewers.values.contains { $0.isWaiting } }

    /// Adds a viewer; returns its ID, or `nil` after the end.
    mutating func join() -> Int? {
        guard !hasEnded else { return nil }
        nextID += 1
        viewers[nextID] = Viewer(seen: 0)
        unusedSince = nil
        return nextID
    }

    /// Removes a viewer. Returns `true` if it was the last one.
    mutating func leave(_ id: Int, at now: ClockTime) -> Bool {
        guard viewers.removeValue(forKey: id) != nil, viewers.isEmpty else { return false }
        // A viewer that comes back waits for a new picture.
        (unusedSince, newest) = (now, nil)
        return true
    }

    /// Returns the newest picture for a viewer that has not seen it.
    mutating func next(for id: Int) -> Answer {
        guard !hasEnded, let viewer = viewers[id] else { return .end }
        guard let newest, newest.number > viewer.seen else {
            viewers[id]?.isWaiting = true
            return .wait
        }
        viewers[id] = Viewer(seen: newest.number)
        return .picture(newest.picture)
    }

    /// Replaces the newest picture. Returns the viewers that wait for it.
    mutating func publish(_ picture: StreamPicture) -> [Int] {
        number += 1
        newest = (picture, number)
        return viewers.filter(\.value.isWaiting).map(\.key)
    }

    /// Discards the newest picture: a newer frame has come, which no viewer waits for.
    mutating func expire() { newest = nil }

    /// Ends the stream.
    mutating func end() { (hasEnded, newest) = (true, nil) }

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
