// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Pictures that wait in memory until they can be stored, in order, up to a limit of bytes and of pictures.
///
/// Beyond the limit the newest pictures are discarded: numbers follow the slots, and the pictures held first have
/// theirs.
struct HeldStills: Sendable {
    private static let mostPictures = 1000

    /// The most bytes that the pictures may occupy.
    private let limit: Int
    private var stills: [EncodedStill] = []
    private var byteCount = 0
    /// The error that keeps the first picture from being stored.
    private(set) var reason: CaptureError?
    /// The number of pictures stored since the last pause began.
    private var stored = 0
    /// The number of failed attempts in a row.
    private var failures = 0

    init(limit: Int) { self.limit = limit }

    /// The number of held pictures.
    var count: Int { stills.count }

    /// `true` if no picture is held.
    var isEmpty: Bool { stills.isEmpty }

    /// The delay before the next attempt.
    var delay: Duration { failures == 0 ? .zero : Backoff.pause(after: failures) }

    /// The next picture to store.
    var first: EncodedStill? { stills.first }

    /// `true` if a picture of this size can be held.
    func hasRoom(for bytes: Int) -> Bool { byteCount + bytes <= limit && stills.count < Self.mostPictures }

    /// Holds a picture behind the others; `reason` is why the first one could not be stored.
    mutating func append(_ still: EncodedStill, because reason: CaptureError) {
        if stills.isEmpty { (self.reason, stored, failures) = (reason, 0, 1) }
        stills.append(still)
        byteCount += still.byteCount
    }

    /// Removes the first picture.
    ///
    /// - Parameter isStored: `true` if the picture is on the disk.
    /// - Returns: The number of pictures stored since the pause began if no picture is left; `nil` otherwise.
    mutating func removeFirst(isStored: Bool) -> Int? {
        byteCount -= stills.removeFirst().byteCount
        stored += isStored ? 1 : 0
        failures = 0
        return stills.isEmpty ? stored : nil
    }

    /// Records a failed attempt, and the state in which it left the first picture.
    mutating func postpone(_ first: EncodedStill, because reason: CaptureError) {
        stills[0] = first
        self.reason = reason
        failures += 1
    }
}
