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
        var seen = 0
        var isWaiting = false
    }

    private var attendance = Attendance()
    private var viewers: [Int: Viewer] = [:]
    private var newest: (picture: StreamPicture, number: Int)?
    private var number = 0

    /// `true` after the end: no viewer can join.
    var hasEnded: Bool { attendance.hasEnded }
    /// The number of viewers.
    var count: Int { attendance.count }
    /// `true` if a viewer waits for a picture.
    var isWanted: Bool { viewers.values.contains { $0.isWaiting } }

    /// Adds a viewer; returns its ID, or `nil` after the end.
    mutating func join() -> Int? {
        guard let id = attendance.join() else { return nil }
        viewers[id] = Viewer()
        return id
    }

    /// Removes a viewer. Returns `true` if it was the last one.
    mutating func leave(_ id: Int, at now: ClockTime) -> Bool {
        viewers[id] = nil
        guard attendance.leave(id, at: now) else { return false }
        // A viewer that comes back waits for a new picture.
        newest = nil
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
    mutating func end() {
        attendance.end()
        newest = nil
    }

    /// Ends a stream that has had no viewers for a while; see ``Attendance/endIfUnused(for:at:)``.
    mutating func endIfUnused(for span: Duration, at now: ClockTime) -> Duration? {
        defer { if hasEnded { newest = nil } }
        return attendance.endIfUnused(for: span, at: now)
    }
}
