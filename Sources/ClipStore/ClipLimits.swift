// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import StillKit

/// Decides which limit the clips of a camera have reached. It reads no clock and no disk.
struct ClipLimits: Sendable {
    /// The clips and their disk, at one moment.
    struct Usage: Sendable {
        /// The number of clips, with those that are being recorded.
        var count: Int
        /// Their size in bytes, with the bytes that were recorded so far.
        var byteCount: Int
        /// The space of the disk; `nil` if it is unknown.
        var space: DiskSpace?
    }

    /// A search for clips to remove, from old to new.
    struct Pass: Sendable {
        /// `true` to search only clips that an outbox has sent.
        var isOfSent: Bool
        /// The age beyond which a clip is removed; `nil` for none.
        var maxAge: Duration?
        /// `true` to remove clips while a limit on number, size or disk is exceeded.
        var keepsTotals = true
    }

    private let limits: StorageLimits

    init(_ limits: StorageLimits) { self.limits = limits }

    /// `true` if clips may be removed.
    var removes: Bool { limits.removes }

    /// `true` if the oldest clips make room for new ones.
    var prunes: Bool { limits.policy.removes }

    /// `true` if clips that are not sent stay.
    var keepsUnsent: Bool { prunes && limits.keepsUnsent }

    /// `true` if the age of clips counts.
    var limitsAge: Bool { limits.maxAge != nil || limits.maxAgeSent != nil }

    /// The searches that keep the limits, in their order: clips that are sent go before others.
    var passes: [Pass] {
        var passes: [Pass] = []
        if let most = limits.maxAgeSent { passes.append(Pass(isOfSent: true, maxAge: most, keepsTotals: false)) }
        guard prunes else { return passes }
        passes.append(Pass(isOfSent: true, maxAge: limits.maxAge))
        if !keepsUnsent { passes.append(Pass(isOfSent: false, maxAge: limits.maxAge)) }
        return passes
    }

    /// Returns the error of the limit on number, size or disk that the clips exceed; `nil` if there is none.
    ///
    /// - Parameter more: The number of clips that are about to begin.
    func exceeded(by usage: Usage, adding more: Int) -> CaptureError? {
        if let most = limits.maxCount, usage.count + more > most { return .clipLimit("max-count", "\(most) clips") }
        // A clip that is about to begin needs at least a byte.
        if let most = limits.maxSize, usage.byteCount + more > most {
            return .clipLimit("max-size", ByteSize.text(most))
        }
        return floor(under: usage.space)
    }

    /// Returns the error of a disk with too little free space; `nil` if it has enough.
    func floor(under space: DiskSpace?) -> CaptureError? {
        guard limits.keepFree != nil, let space, space.free < limits.floor(space) else { return nil }
        return .clipFloor(free: space.free, floor: limits.floor(space))
    }

    /// Returns the error of a clip that is too old; `nil` if it is not, or its age is unknown.
    func aged(_ clip: StoredClip, by clock: AgeClock) -> CaptureError? {
        guard let most = limits.maxAge, Self.isOlder(clip, than: most, by: clock) else { return nil }
        return .clipLimit("max-age", most.shortText)
    }

    /// `true` if a clip is older than an age; `false` if its age is unknown.
    static func isOlder(_ clip: StoredClip, than most: Duration, by clock: AgeClock) -> Bool {
        clock.age(of: clip.start.seconds).map { $0 > most.components.seconds } ?? false
    }
}
