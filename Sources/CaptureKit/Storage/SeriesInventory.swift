// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The pictures on the disk that a series is known to have made, from old to new: only these it may ever remove.
///
/// It holds some hundred bytes for each that is on the disk; where none will be removed, no more than their sums.
struct SeriesInventory: Sendable {
    /// True where each is known, and not only their sums.
    let keepsStills: Bool
    /// In the order of their ordinals; `nil` for those that are gone.
    private var stills: [StoredStill?] = []
    private var ordinals: [Int] = []
    private var oldestIndex = 0
    /// The ordinals by path, where a picture may take the place of another.
    private var places: [String: Int]?

    /// How many there are.
    private(set) var count = 0
    /// The bytes that they have.
    private(set) var byteCount = 0
    /// The ordinal of the next.
    private(set) var nextOrdinal = 0
    /// When the first of all was taken, in seconds since the start of 1970; of stills that are kept, see ``oldest``.
    private var firstCaptured: Int64?

    /// - Parameters:
    ///   - keepsStills: True where pictures may have to be removed.
    ///   - namesRepeat: True where a picture may take the place of an earlier one.
    ///   - earlier: What the series had before; it is left out where pictures are to be removed that it does not know.
    init(keepsStills: Bool, namesRepeat: Bool = false, after earlier: SeriesInventory? = nil) {
        self.keepsStills = keepsStills
        places = keepsStills && namesRepeat ? [:] : nil
        guard let earlier else { return }
        if keepsStills {
            for case let still? in earlier.stills { append(still) }
        } else {
            (count, byteCount, nextOrdinal) = (earlier.count, earlier.byteCount, earlier.nextOrdinal)
            firstCaptured = earlier.oldestCaptured
        }
    }

    /// The first that is there.
    var oldest: StoredStill? { oldestIndex < stills.count ? stills[oldestIndex] : nil }

    /// The last that is there.
    var newest: StoredStill? { stills.last ?? nil }

    /// When the oldest was taken.
    var oldestCaptured: Int64? { keepsStills ? oldest?.captured : firstCaptured }

    /// Adds one, which is newer than all that were before.
    mutating func append(_ still: StoredStill) {
        guard still.ordinal >= nextOrdinal else { return }
        nextOrdinal = still.ordinal + 1
        if let replaced = places?.updateValue(still.ordinal, forKey: still.path) { remove(replaced, isReplaced: true) }
        count += 1
        byteCount += still.byteCount
        firstCaptured = firstCaptured ?? still.captured
        guard keepsStills else { return }
        stills.append(still)
        ordinals.append(still.ordinal)
    }

    /// The first whose ordinal is greater.
    func next(after ordinal: Int) -> StoredStill? {
        let first = (oldestIndex..<ordinals.count).partition { ordinals[$0] > ordinal }
        return stills[first...].lazy.compactMap { $0 }.first
    }

    /// Takes one out.
    mutating func remove(_ ordinal: Int) { remove(ordinal, isReplaced: false) }

    private mutating func remove(_ ordinal: Int, isReplaced: Bool) {
        guard let index = index(of: ordinal), let still = stills[index] else { return }
        stills[index] = nil
        count -= 1
        byteCount -= still.byteCount
        if !isReplaced { places?[still.path] = nil }
        while oldestIndex < stills.count, stills[oldestIndex] == nil { oldestIndex += 1 }
        while stills.last == .some(nil) { _ = (stills.removeLast(), ordinals.removeLast()) }
        oldestIndex = min(oldestIndex, stills.count)
        if stills.count > 64, count < stills.count / 2 { compact() }
    }

    private func index(of ordinal: Int) -> Int? {
        let index = (oldestIndex..<ordinals.count).partition { ordinals[$0] >= ordinal }
        return index < ordinals.count && ordinals[index] == ordinal ? index : nil
    }

    private mutating func compact() {
        stills = stills.filter { $0 != nil }
        ordinals = stills.compactMap { $0?.ordinal }
        oldestIndex = 0
    }
}
