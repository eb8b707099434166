// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The pictures of a series on the disk, from old to new, as the ledger or the process has them: only these it may remove.
///
/// Each picture takes its path and some 70 bytes. If no picture will be removed, the inventory keeps only their sums. No
/// call takes longer in a longer series, apart from a search that takes log n; copies share what they have in common.
struct SeriesInventory: Sendable {
    /// True if each picture is known, and not only their sums.
    let keepsStills: Bool
    /// In the order of their ordinals; none is empty.
    private var blocks: [Block] = []
    /// Pictures on the disk that could not be removed, by ordinal: they count, and are not offered again.
    private var asides: [Int: StoredStill] = [:]
    /// The ordinals by path, if a picture may replace another.
    private var places: [String: Int]?

    /// How many there are.
    private(set) var count = 0
    /// The bytes that they have.
    private(set) var byteCount = 0
    /// The ordinal of the next.
    private(set) var nextOrdinal = 0
    /// When the first of all was taken, in seconds since the start of 1970; of stills that are kept, see ``oldest``.
    private var firstCaptured: Int64?

    /// An empty inventory, or one that continues another.
    ///
    /// - Parameters:
    ///   - keepsStills: True if pictures may have to be removed.
    ///   - namesRepeat: True if a picture may replace an earlier one.
    ///   - earlier: The pictures of the series so far. They are left out if pictures are to be removed and `earlier` keeps
    ///     only sums.
    init(keepsStills: Bool, namesRepeat: Bool = false, after earlier: SeriesInventory? = nil) {
        self.keepsStills = keepsStills
        places = keepsStills && namesRepeat ? [:] : nil
        guard let earlier, !keepsStills || earlier.keepsStills else { return }
        // Pictures that could not be removed are offered again.
        guard !keepsStills || earlier.asides.isEmpty && (places == nil || earlier.places != nil) else {
            let stills = earlier.blocks.flatMap { Array($0.stills) } + earlier.asides.values
            for still in stills.sorted(by: { $0.ordinal < $1.ordinal }) { append(still) }
            return
        }
        (count, byteCount, nextOrdinal) = (earlier.count, earlier.byteCount, earlier.nextOrdinal)
        firstCaptured = earlier.oldestCaptured
        guard keepsStills else { return }
        blocks = earlier.blocks
        if places != nil { places = earlier.places }
    }

    /// An empty inventory that keeps what a configuration's limits need.
    init(_ configuration: CaptureConfiguration, after earlier: SeriesInventory? = nil) {
        self.init(
            keepsStills: configuration.limits.policy.removes, namesRepeat: configuration.overwrites, after: earlier)
    }

    /// The first that is there.
    var oldest: StoredStill? { blocks.first?.first }

    /// The last that is there.
    var newest: StoredStill? { blocks.last?.last }

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
        if blocks.last?.isFull ?? true { blocks.append(Block()) }
        blocks[blocks.count - 1].append(still)
    }

    /// The first whose ordinal is greater.
    func next(after ordinal: Int) -> StoredStill? {
        let index = blocks.indices.partition { blocks[$0].lastOrdinal > ordinal }
        return index < blocks.count ? blocks[index].next(after: ordinal) : nil
    }

    /// Takes one out.
    mutating func remove(_ ordinal: Int) { remove(ordinal, isReplaced: false) }

    /// Counts a picture that could not be removed, and does not offer it again.
    mutating func setAside(_ ordinal: Int) {
        guard let still = next(after: ordinal - 1), still.ordinal == ordinal else { return }
        remove(ordinal, isReplaced: true)
        asides[ordinal] = still
        count += 1
        byteCount += still.byteCount
    }

    private mutating func remove(_ ordinal: Int, isReplaced: Bool) {
        if let still = asides.removeValue(forKey: ordinal) {
            count -= 1
            byteCount -= still.byteCount
            if !isReplaced { places?[still.path] = nil }
            return
        }
        let index = blocks.indices.partition { blocks[$0].lastOrdinal >= ordinal }
        guard index < blocks.count, let still = blocks[index].remove(ordinal) else { return }
        count -= 1
        byteCount -= still.byteCount
        if !isReplaced { places?[still.path] = nil }
        if blocks[index].isEmpty { blocks.remove(at: index) } else { merge(index) }
    }

    /// Joins a block with the one before it, once both together are half of a full one.
    private mutating func merge(_ index: Int) {
        guard index > 0, blocks[index - 1].count + blocks[index].count <= Block.mostStills / 2 else { return }
        for still in blocks[index].stills { blocks[index - 1].append(still) }
        blocks.remove(at: index)
    }
}

/// Some pictures in a row. The paths of all are one array, so that a million of them are no million allocations.
private struct Block: Sendable {
    static let mostStills = 256

    private struct Entry: Sendable {
        let ordinal: Int
        let byteCount: Int
        let captured: Int64
        let mark: Mark
        let path: Range<UInt32>
    }

    /// The hash of the file that an earlier process stored, or the identity of one that this process stored.
    private enum Mark: Sendable {
        case none
        case identity(StoredStill.Identity)
        case hash(FileHash)
    }

    private var entries: [Entry] = []
    private var paths: [UInt8] = []

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.mostStills }
    var lastOrdinal: Int { entries.last?.ordinal ?? -1 }
    var first: StoredStill? { entries.first.map(still) }
    var last: StoredStill? { entries.last.map(still) }
    var stills: some Sequence<StoredStill> { entries.lazy.map(still) }

    mutating func append(_ still: StoredStill) {
        let start = UInt32(clamping: paths.count)
        let mark = still.identity.map(Mark.identity) ?? still.hash.map(Mark.hash) ?? .none
        paths += still.path.utf8
        entries.append(
            Entry(
                ordinal: still.ordinal, byteCount: still.byteCount, captured: still.captured, mark: mark,
                path: start..<UInt32(clamping: paths.count)))
    }

    func next(after ordinal: Int) -> StoredStill? {
        let index = entries.indices.partition { entries[$0].ordinal > ordinal }
        return index < entries.count ? still(entries[index]) : nil
    }

    mutating func remove(_ ordinal: Int) -> StoredStill? {
        let index = entries.indices.partition { entries[$0].ordinal >= ordinal }
        guard index < entries.count, entries[index].ordinal == ordinal else { return nil }
        defer { entries.remove(at: index) }
        return still(entries[index])
    }

    private func still(_ entry: Entry) -> StoredStill {
        let path = String(decoding: paths[Int(entry.path.lowerBound)..<Int(entry.path.upperBound)], as: UTF8.self)
        var still = StoredStill(
            ordinal: entry.ordinal, path: path, byteCount: entry.byteCount, captured: entry.captured)
        switch entry.mark {
        case .none: break
        case .identity(let identity): still.identity = identity
        case .hash(let hash): still.hash = hash
        }
        return still
    }
}
