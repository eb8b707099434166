// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Chooses the next picture of a series to remove: never the newest, and none while no limit is exceeded.
///
/// Call it again after each removal, with the new state of the disk, so that no more pictures than necessary are
/// removed. If an outbox sends the pictures, pruning removes sent ones first.
package struct Retention: Sendable {
    /// A picture, and the reason for its removal.
    package struct Removal: Sendable, Hashable {
        package let still: StoredStill
        package let reason: RemovedStill.Reason
    }

    package let limits: StorageLimits
    private var thinning: Thinning?
    /// The ordinal of the last picture checked for its age, if thinning keeps some old pictures.
    private var lastAged = -1
    /// The pictures that an outbox has sent; `nil` without one.
    private var sent: SentSearch?

    /// - Parameter sent: The pictures that an outbox has sent; `nil` without one.
    package init(_ limits: StorageLimits, sent: (any SentPictures)? = nil) {
        self.limits = limits
        self.sent = sent.map(SentSearch.init)
        if case .thin(let every) = limits.policy { thinning = Thinning(every: every) }
    }

    /// Returns the next picture to remove; `nil` if no limit is exceeded, or no picture may be removed.
    ///
    /// - Parameters:
    ///   - space: The space of the disk, if known.
    ///   - clock: Judges the age of pictures.
    package mutating func next(in inventory: SeriesInventory, _ space: DiskSpace?, by clock: AgeClock) -> Removal? {
        sent?.refresh()
        if let old = nextSent(in: inventory, olderThan: limits.maxAgeSent, by: clock) {
            return Removal(still: old, reason: .sent)
        }
        guard limits.policy.removes else { return nil }
        if let aged = nextAged(in: inventory, by: clock) { return Removal(still: aged, reason: .age) }
        return excess(in: inventory, space).flatMap { next(in: inventory, because: $0) }
    }

    /// Returns the next picture to remove because the disk is full, regardless of the limits.
    package mutating func next(in inventory: SeriesInventory, because reason: RemovedStill.Reason) -> Removal? {
        guard limits.policy.removes else { return nil }
        sent?.refresh()
        let still = thinning == nil ? oldest(inventory) : thinning?.next(in: inventory)
        return still.map { Removal(still: $0, reason: reason) }
    }

    /// `true` if an outbox sends the pictures, and has not sent this one.
    package func isUnsent(_ still: StoredStill) -> Bool { sent.map { !$0.contains(still) } ?? false }

    /// Why no picture counts as sent; `nil` without an outbox, or if it can be read.
    package var sentFault: CaptureError? { sent?.fault }

    /// `true` if only pictures that have to stay are left, because they are not sent.
    package func isBlocked(in inventory: SeriesInventory) -> Bool {
        guard limits.policy.removes, limits.keepsUnsent, let oldest = inventory.oldest, oldest != inventory.newest
        else { return false }
        guard var sent else { return true }
        sent.refresh()
        return sent.oldest(in: inventory) == nil
    }

    /// Returns the error of the limit that a series without removals has reached, or would exceed with a picture of
    /// `bytes`; `nil` if there is none, or if the policy can remove pictures. With ``StorageLimits/keepsUnsent``, a series
    /// ends at no age: an old picture takes no room from new ones.
    package func reached(
        by inventory: SeriesInventory, _ space: DiskSpace?, next bytes: Int, by clock: AgeClock
    ) -> CaptureError? {
        guard !limits.policy.removes else { return blocked(by: inventory, space, next: bytes) }
        if let most = limits.maxCount, inventory.count >= most { return .limit("max-count", "\(most) pictures") }
        if let most = limits.maxSize, inventory.byteCount + bytes > most {
            return .limit("max-size", ByteSize.text(most))
        }
        if let most = limits.maxAge, let oldest = inventory.oldestCaptured, let age = clock.age(of: oldest),
            age >= most.components.seconds
        {
            return .limit("max-age", most.shortText)
        }
        if let space, limits.keepFree != nil, space.free - bytes < limits.floor(space) { return .floor(space, limits) }
        return nil
    }

    /// Returns the error of the limit at which a series ends whose pictures have to stay.
    private func blocked(by inventory: SeriesInventory, _ space: DiskSpace?, next bytes: Int) -> CaptureError? {
        guard isBlocked(in: inventory) else { return nil }
        if let most = limits.maxCount, inventory.count >= most { return .unsent("max-count", "\(most) pictures") }
        if let most = limits.maxSize, inventory.byteCount + bytes > most {
            return .unsent("max-size", ByteSize.text(most))
        }
        if let space, limits.keepFree != nil, space.free - bytes < limits.floor(space) {
            return .unsent("keep-free", ByteSize.text(limits.floor(space)))
        }
        return nil
    }

    /// `true` if pictures must be removed for their number, their bytes or the disk's space.
    package func isExceeded(by inventory: SeriesInventory, _ space: DiskSpace?) -> Bool {
        excess(in: inventory, space) != nil
    }

    private func excess(in inventory: SeriesInventory, _ space: DiskSpace?) -> RemovedStill.Reason? {
        if let most = limits.maxCount, inventory.count > most { return .count }
        if let most = limits.maxSize, inventory.byteCount > most { return .size }
        if let space, limits.keepFree != nil, space.free < limits.floor(space) { return .space }
        return nil
    }

    private mutating func nextAged(in inventory: SeriesInventory, by clock: AgeClock) -> StoredStill? {
        guard let most = limits.maxAge?.components.seconds else { return nil }
        if sent != nil || limits.keepsUnsent, thinning == nil {
            if let still = nextSent(in: inventory, olderThan: limits.maxAge, by: clock) { return still }
            if limits.keepsUnsent { return nil }
        }
        if thinning == nil { lastAged = -1 }
        while let still = inventory.next(after: lastAged), still != inventory.newest {
            // A picture of unknown age is passed over: it must not keep older ones.
            if let age = clock.age(of: still.captured) {
                guard age > most else { return nil }
                guard thinning?.keeps(still, in: inventory) == true else {
                    lastAged = still.ordinal
                    return still
                }
            } else if !clock.isTrusted {
                return nil
            }
            lastAged = still.ordinal
        }
        return nil
    }

    /// Returns the oldest sent picture beyond an age.
    private mutating func nextSent(
        in inventory: SeriesInventory, olderThan most: Duration?, by clock: AgeClock
    ) -> StoredStill? {
        guard let most = most?.components.seconds else { return nil }
        var candidate = sent?.oldest(in: inventory)
        while let still = candidate {
            // A picture of unknown age is passed over: it must not keep older ones.
            if let age = clock.age(of: still.captured) { return age > most ? still : nil }
            guard clock.isTrusted else { return nil }
            candidate = sent?.next(after: still, in: inventory)
        }
        return nil
    }

    /// Returns the oldest picture that may be removed, a sent one if there is any.
    private mutating func oldest(_ inventory: SeriesInventory) -> StoredStill? {
        if let still = sent?.oldest(in: inventory) { return still }
        return limits.keepsUnsent ? nil : inventory.oldest.flatMap { $0 == inventory.newest ? nil : $0 }
    }
}

/// Passes over a series from old to new. The first pass keeps every n-th picture, the second every n-th of these, and
/// so on.
private struct Thinning: Sendable {
    private let every: Int
    /// The pass keeps pictures whose distance from the oldest, in ordinals, is a multiple of this; 0 before the first
    /// pass.
    private var stride = 0
    /// The ordinal that the pass has reached.
    private var last = 0

    init(every: Int) { self.every = max(2, every) }

    /// Returns the next picture to remove; `nil` if only the oldest and the newest are left.
    mutating func next(in inventory: SeriesInventory) -> StoredStill? {
        guard let oldest = inventory.oldest, let newest = inventory.newest, oldest != newest else { return nil }
        if stride == 0 { begin(inventory, at: oldest) }
        while true {
            guard let still = inventory.next(after: max(last, oldest.ordinal)), still != newest else {
                // A longer stride would keep the same pictures.
                guard stride <= newest.ordinal - oldest.ordinal else { return nil }
                (stride, last) = (nextStride, oldest.ordinal)
                continue
            }
            last = still.ordinal
            if (still.ordinal - oldest.ordinal) % stride != 0 { return still }
        }
    }

    /// `true` if a first pass would keep the picture.
    func keeps(_ still: StoredStill, in inventory: SeriesInventory) -> Bool {
        (still.ordinal - (inventory.oldest?.ordinal ?? 0)) % every == 0
    }

    /// Resumes at the stride of an earlier run, which the ordinals of the oldest pictures show.
    private mutating func begin(_ inventory: SeriesInventory, at oldest: StoredStill) {
        (stride, last) = (every, oldest.ordinal)
        var distances: [Int] = []
        while distances.count < 4, let still = inventory.next(after: oldest.ordinal + (distances.last ?? 0)) {
            distances.append(still.ordinal - oldest.ordinal)
        }
        guard distances.count == 4 else { return }
        while distances.allSatisfy({ $0 % nextStride == 0 }) { stride = nextStride }
    }

    /// The stride of the next pass.
    private var nextStride: Int {
        let (product, isTooLarge) = stride.multipliedReportingOverflow(by: every)
        return isTooLarge ? .max : product
    }
}
