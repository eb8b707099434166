// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Pictures that wait in memory until they can be stored, in their order, and no more of them than memory is for.
///
/// Of more, the newest are given up: numbers follow the slots, and what was held first has its number.
struct HeldStills: Sendable {
    private static let mostPictures = 1000

    /// How many bytes they may have.
    let limit: Int
    private var stills: [EncodedStill] = []
    private(set) var byteCount = 0
    /// Why the first could not be stored.
    private(set) var reason: CaptureError?
    /// How many were stored since the last pause began.
    private var stored = 0
    /// Attempts in a row that came to nothing.
    private var failures = 0

    init(limit: Int) { self.limit = limit }

    /// How many there are.
    var count: Int { stills.count }

    /// True where all is stored.
    var isEmpty: Bool { stills.isEmpty }

    /// How long it is until the next attempt.
    var delay: Duration { failures == 0 ? .zero : Backoff.pause(after: failures) }

    /// The one that is next.
    var first: EncodedStill? { stills.first }

    /// True where one of this size can be held.
    func hasRoom(for bytes: Int) -> Bool { byteCount + bytes <= limit && stills.count < Self.mostPictures }

    /// Holds one, behind the others; `reason` is why the first could not be stored.
    mutating func append(_ still: EncodedStill, because reason: CaptureError) {
        if stills.isEmpty { (self.reason, stored, failures) = (reason, 0, 1) }
        stills.append(still)
        byteCount += still.byteCount
    }

    /// Takes the first away.
    ///
    /// - Parameter isStored: True where it is on the disk.
    /// - Returns: How many were stored, where it was the last that waited.
    mutating func removeFirst(isStored: Bool) -> Int? {
        byteCount -= stills.removeFirst().byteCount
        stored += isStored ? 1 : 0
        failures = 0
        return stills.isEmpty ? stored : nil
    }

    /// Takes note of an attempt that failed, and of what it did to the first.
    mutating func postpone(_ first: EncodedStill, because reason: CaptureError) {
        stills[0] = first
        self.reason = reason
        failures += 1
    }
}
