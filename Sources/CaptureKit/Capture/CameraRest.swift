// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// When a camera that is not needed for a while is closed, and when it is opened again: early enough to be steady when its
/// moment comes, by how long that took the last time. Pure: it has no clock of its own.
struct CameraRest: Sendable {
    /// Shorter pauses are none: opening a camera takes seconds, too.
    static let shortest = Duration.seconds(5)

    /// True while the camera is closed on purpose.
    private(set) var isOn = false
    private let shortest: Duration?
    /// So long before a slot the camera is opened.
    private var lead = Duration.seconds(10)
    /// When it was opened after a rest; `nil` once it is steady.
    private var openedAt: ClockTime?
    private static let longestLead = Duration.seconds(60)

    /// - Parameter shortest: The shortest pause that is a rest; `nil` where the camera never rests.
    init(_ shortest: Duration?) { self.shortest = shortest }

    /// When it has to end for a slot that is due then; `nil` while there is none.
    func end(before due: ClockTime) -> ClockTime? { isOn ? due - lead : nil }

    /// Begins where there is time for it; true where it does.
    mutating func begin(before due: ClockTime, at now: ClockTime) -> Bool {
        guard let shortest, due - now >= max(shortest, lead * 2) else { return false }
        isOn = true
        return true
    }

    /// Ends it; false where there is none.
    mutating func finish(_ now: ClockTime) -> Bool {
        guard isOn else { return false }
        (isOn, openedAt) = (false, now)
        return true
    }

    /// The camera is steady now: next time half as long again is allowed for that, and a second.
    mutating func learn(_ now: ClockTime) {
        guard let start = openedAt else { return }
        openedAt = nil
        lead = min(Self.longestLead, (now - start) * 3 / 2 + .seconds(1))
    }
}
