// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Decides when a camera that is not needed for a while is closed and reopened. It is reopened early enough to be
/// steady for its slot, judging by how long that took the last time. Pure: it reads no clock.
struct CameraRest: Sendable {
    /// The shortest pause that is worth a rest: opening a camera takes seconds, too.
    static let shortest = Duration.seconds(5)

    /// `true` if the camera is closed deliberately.
    private(set) var isOn = false
    private let shortest: Duration?
    /// How long before a slot the camera is reopened.
    private var lead = Duration.seconds(10)
    /// When the camera was reopened after a rest; `nil` once it is steady.
    private var openedAt: ClockTime?
    private static let longestLead = Duration.seconds(60)

    /// - Parameter shortest: The shortest pause that is a rest; `nil` if the camera never rests.
    init(_ shortest: Duration?) { self.shortest = shortest }

    /// Returns when the rest has to end for a slot that is due at `due`; `nil` if the camera does not rest.
    func end(before due: ClockTime) -> ClockTime? { isOn ? due - lead : nil }

    /// Begins a rest if there is enough time before `due`. Returns `true` if it did.
    mutating func begin(before due: ClockTime, at now: ClockTime) -> Bool {
        guard let shortest, due - now >= max(shortest, lead * 2) else { return false }
        isOn = true
        return true
    }

    /// Ends the rest. Returns `false` if the camera did not rest.
    mutating func finish(_ now: ClockTime) -> Bool {
        guard isOn else { return false }
        (isOn, openedAt) = (false, now)
        return true
    }

    /// Records that the camera is steady. The next lead is one and a half times what that took, plus a second.
    mutating func learn(_ now: ClockTime) {
        guard let start = openedAt else { return }
        openedAt = nil
        lead = min(Self.longestLead, (now - start) * 3 / 2 + .seconds(1))
    }
}
