// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The pictures of a series on the disk, from old to new, according to the ledger and this process. Only these may be
/// removed.
///
/// Each picture needs its path and some 70 bytes, and its path again if names may repeat. If pictures are never
/// removed, the inventory keeps only sums. A call takes time logarithmic in the number of pictures; a removal that
/// empties a block of 256 pictures also moves the list of blocks. Copies share their storage until one of them changes.
package struct SeriesInventory: Sendable {
    /// `true` if each picture is kept, not only the sums.
    package let keepsStills: Bool
    /// The blocks in the order of their ordinals; none is empty.
    private var blocks: [Block] = []
    /// Pictures on the disk whose removal failed, by ordinal. They count, and no search returns them.
    private var asides: [Int: StoredStill] = [:]
    /// The ordinals by path; `nil` if no picture may replace another.
    private var places: [String: Int]?

    /// The number of pictures.
    package private(set) var count = 0
    /// The bytes of all pictures. A damaged ledger can list sizes whose sum exceeds `Int`.
    private var sum: Int128 = 0
    /// The ordinal of the next picture.
    package private(set) var nextOrdinal = 0
    /// The greatest number of a line that a picture has. The lines of pictures rise with their ordinals.
    private var lastLine: Int32 = 0
    /// When the first picture was captured, in seconds since the start of 1970. It is used if only sums are kept.
    private var firstCaptured: Int64?

    /// Creates an empty inventory, or one that continues another.
    ///
    /// - Parameters:
    ///   - keepsStills: `true` if pictures may have to be removed.
    ///   - namesRepeat: `true` if a picture may replace an earlier one.
    ///   - earlier: The pictures of the series so far. They are left out if pictures are to be removed and `earlier`
    ///     keeps only sums.
    package init(keepsStills: Bool, namesRepeat: Bool = false, after earlier: SeriesInventory? = nil) {
        self.keepsStills = keepsStills
        places = keepsStills && namesRepeat ? [:] : nil
        guard let earlier, !keepsStills || earlier.keepsStills else { return }
        // The removal of pictures whose removal failed can be tried again.
        guard !keepsStills || earlier.asides.isEmpty && (places == nil || earlier.places != nil) else {
            let stills = earlier.blocks.flatMap { Array($0.stills) } + earlier.asides.values
            for still in stills.sorted(by: { $0.ordinal < $1.ordinal }) { append(still) }
            return
        }
        (count, sum, nextOrdinal) = (earlier.count, earlier.sum, earlier.nextOrdinal)
        firstCaptured = earlier.oldestCaptured
        guard keepsStills else { return }
        (blocks, lastLine) = (earlier.blocks, earlier.lastLine)
        if places != nil { places = earlier.places }
    }

    /// The bytes of all pictures; 2^62 if there are more, which leaves room for sums.
    package var byteCount: Int { Int(min(sum, 1 << 62)) }

    /// The oldest picture on the disk.
    var oldest: StoredStill? { blocks.first?.first }

    /// The newest picture on the disk.
    var newest: StoredStill? { blocks.last?.last }

    /// When the oldest picture was captured, in seconds since the start of 1970.
    var oldestCaptured: Int64? { keepsStills ? oldest?.captured : firstCaptured }

    /// Adds a picture, which must be newer than all earlier ones.
    package mutating func append(_ still: StoredStill) {
        guard still.ordinal >= nextOrdinal else { return }
        nextOrdinal = still.ordinal + 1
        if let replaced = places?.updateValue(still.ordinal, forKey: still.path) { remove(replaced, isReplaced: true) }
        count += 1
        sum += Int128(still.byteCount)
        firstCaptured = firstCaptured ?? still.captured
        guard keepsStills else { return }
        if blocks.last?.isFull ?? true { blocks.append(Block()) }
        let line = Int32(exactly: still.ledgerLine ?? 0) ?? 0
        blocks[blocks.count - 1].append(still, line: line > lastLine ? line : -lastLine)
        lastLine = max(lastLine, line)
    }

    /// Sets the line of a picture, which must be greater than those of all other pictures.
    package mutating func setLine(_ line: Int, of ordinal: Int) {
        guard let line = Int32(exactly: line), line > lastLine else { return }
        let first = blocks.indices.partition { blocks[$0].lastOrdinal >= ordinal }
        guard first < blocks.count, blocks[first].setLine(line, of: ordinal) else { return }
        for index in blocks.indices.dropFirst(first + 1) { blocks[index].raiseLines(to: line) }
        lastLine = line
    }

    /// `true` if the line of a picture is not known. It takes time linear in the number of pictures.
    package var lacksLines: Bool {
        !asides.values.allSatisfy { $0.ledgerLine != nil } || blocks.contains(where: \.lacksLines)
    }

    /// Returns the first picture with this line or a later one.
    func next(fromLine line: Int) -> StoredStill? {
        var index = blocks.indices.partition { blocks[$0].lastLine >= line }
        while index < blocks.count {
            if let still = blocks[index].next(fromLine: line) { return still }
            index += 1
        }
        return nil
    }

    /// Returns the first picture with a greater ordinal.
    func next(after ordinal: Int) -> StoredStill? {
        let index = blocks.indices.partition { blocks[$0].lastOrdinal > ordinal }
        return index < blocks.count ? blocks[index].next(after: ordinal) : nil
    }

    /// Removes a picture.
    package mutating func remove(_ ordinal: Int) { remove(ordinal, isReplaced: false) }

    /// Excludes a picture whose removal failed from ``next(after:)``. It still counts.
    package mutating func setAside(_ ordinal: Int) {
        guard let still = next(after: ordinal - 1), still.ordinal == ordinal else { return }
        remove(ordinal, isReplaced: true)
        asides[ordinal] = still
        count += 1
        sum += Int128(still.byteCount)
    }

    private mutating func remove(_ ordinal: Int, isReplaced: Bool) {
        if let still = asides.removeValue(forKey: ordinal) {
            count -= 1
            sum -= Int128(still.byteCount)
            if !isReplaced { places?[still.path] = nil }
            return
        }
        let index = blocks.indices.partition { blocks[$0].lastOrdinal >= ordinal }
        guard index < blocks.count, let still = blocks[index].remove(ordinal) else { return }
        count -= 1
        sum -= Int128(still.byteCount)
        if !isReplaced { places?[still.path] = nil }
        if blocks[index].isEmpty { blocks.remove(at: index) } else { merge(index) }
    }

    /// Joins a block with the one before it if both together fill half a block at most.
    private mutating func merge(_ index: Int) {
        guard index > 0, blocks[index - 1].count + blocks[index].count <= Block.mostStills / 2 else { return }
        blocks[index - 1].append(blocks[index])
        blocks.remove(at: index)
    }
}

/// Consecutive pictures. All their paths are one array, so that a million pictures do not need a million allocations.
private struct Block: Sendable {
    static let mostStills = 256

    private struct Entry: Sendable {
        let ordinal: Int
        let byteCount: Int
        let captured: Int64
        let mark: Mark
        let path: Range<UInt32>
        /// The line in the ledger. If it is not known, the greatest line of earlier pictures, negated.
        var line: Int32
    }

    /// The hash of a file that an earlier process stored, or the identity of a file that this process stored.
    private enum Mark: Sendable {
        case none
        case identity(StoredStill.Identity)
        case hash(FileHash)
    }

    private var entries: [Entry] = []
    private var paths: [UInt8] = []

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var lacksLines: Bool { entries.contains { $0.line <= 0 } }
    var isFull: Bool { entries.count >= Self.mostStills }
    var lastOrdinal: Int { entries.last?.ordinal ?? -1 }
    /// No picture has a later line.
    var lastLine: Int { entries.last.map { Int(abs($0.line)) } ?? 0 }
    var first: StoredStill? { entries.first.map(still) }
    var last: StoredStill? { entries.last.map(still) }
    var stills: some Sequence<StoredStill> { entries.lazy.map(still) }

    mutating func append(_ still: StoredStill, line: Int32) {
        let start = UInt32(clamping: paths.count)
        let mark = still.identity.map(Mark.identity) ?? still.hash.map(Mark.hash) ?? .none
        paths += still.path.utf8
        entries.append(
            Entry(
                ordinal: still.ordinal, byteCount: still.byteCount, captured: still.captured, mark: mark,
                path: start..<UInt32(clamping: paths.count), line: line))
    }

    mutating func append(_ other: Block) {
        for entry in other.entries { append(other.still(entry), line: entry.line) }
    }

    /// Sets the line of a picture; `false` if there is no such picture.
    mutating func setLine(_ line: Int32, of ordinal: Int) -> Bool {
        let index = entries.indices.partition { entries[$0].ordinal >= ordinal }
        guard index < entries.count, entries[index].ordinal == ordinal else { return false }
        entries[index].line = line
        raiseLines(to: line, from: index + 1)
        return true
    }

    /// Sets the bound of pictures without a line.
    mutating func raiseLines(to line: Int32, from first: Int = 0) {
        for index in entries.indices.dropFirst(first) where entries[index].line <= 0 { entries[index].line = -line }
    }

    func next(fromLine line: Int) -> StoredStill? {
        let first = entries.indices.partition { abs(entries[$0].line) >= line }
        return entries[first...].first { $0.line > 0 }.map(still)
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
        if entry.line > 0 { still.ledgerLine = Int(entry.line) }
        switch entry.mark {
        case .none: break
        case .identity(let identity): still.identity = identity
        case .hash(let hash): still.hash = hash
        }
        return still
    }
}
