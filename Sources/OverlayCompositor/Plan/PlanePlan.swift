// Part of gst-capture. Apache License 2.0, see LICENSE.

import CPrefetch

/// What is to be done to a plane of each frame: just the bytes that are drawn on, ready for SIMD.
///
/// Lines are blocks of eight bytes, each with its own steps. Surfaces are runs of one step, or of one share that is
/// kept and values of their own: so a picture over the whole frame costs no more memory than the frame.
struct PlanePlan: Sendable {
    /// Bytes that get the same, one vector after the other.
    struct Run: Sendable {
        let place: BlendPlace
        let count: Int
        let vector: BlendVector
    }

    /// Bytes that keep the same share, and get each a value of its own.
    struct Shade: Sendable {
        let place: BlendPlace
        let count: Int
        let vector: BlendVector
        /// Where its values begin.
        let start: Int
    }

    /// The plane that it is made for: no other is touched.
    let rowCount: Int
    let rowBytes: Int

    /// Rows that have blocks, and how many.
    private(set) var blockRows: [(row: Int, count: Int)] = []
    /// Where in its row each block begins.
    private(set) var blockPlaces: [UInt16] = []
    /// What becomes of each block: what it keeps, then what it adds.
    private(set) var blockSteps: [SIMD8<UInt16>] = []
    private(set) var runs: [Run] = []
    private(set) var shades: [Shade] = []
    /// What each vector of shades adds.
    private(set) var values: [SIMD8<UInt16>] = []
    /// Of planes narrower than a vector.
    private(set) var singles: [(place: BlendPlace, step: BlendStep)] = []

    init(rowCount: Int, rowBytes: Int) {
        self.rowCount = rowCount
        self.rowBytes = rowBytes
    }

    /// Bytes that are looked at for each frame.
    var touchedBytes: Int {
        let vectors = blockPlaces.count + runs.reduce(0) { $0 + $1.count } + shades.reduce(0) { $0 + $1.count }
        return vectors * BlendVector.width + singles.count
    }
}

// MARK: - Making

extension PlanePlan {
    /// From this length on, bytes that get the same are worth a run.
    private static let longRun = 64

    /// Adds what was drawn on a row.
    ///
    /// - Parameter period: After so many bytes the same component comes again.
    mutating func add(_ row: Int, _ bytes: borrowing AffineRow, period: Int) {
        // Steps that repeat within a vector; of three bytes a pixel they do not, unless all are the same.
        let period = BlendVector.width % period == 0 ? period : 1
        var index = bytes.touched.lowerBound
        while let start = bytes.firstTouched(from: index) {
            index =
                addRun(row, bytes, start, period) ?? addShade(row, bytes, start, period) ?? addBlock(row, bytes, start)
        }
    }

    private mutating func addRun(_ row: Int, _ bytes: borrowing AffineRow, _ start: Int, _ period: Int) -> Int? {
        let length = bytes.lengthOfRun(from: start, period: period)
        guard length >= Self.longRun else { return nil }
        let count = length / BlendVector.width
        let place = BlendPlace(row: row, byte: start)
        runs.append(Run(place: place, count: count, vector: bytes.vector(at: start, from: start)))
        return start + count * BlendVector.width
    }

    private mutating func addShade(_ row: Int, _ bytes: borrowing AffineRow, _ start: Int, _ period: Int) -> Int? {
        let length = bytes.lengthOfShade(from: start, period: period)
        guard length >= Self.longRun else { return nil }
        let count = length / BlendVector.width
        let first = bytes.vector(at: start, from: start)
        shades.append(
            Shade(place: BlendPlace(row: row, byte: start), count: count, vector: first, start: values.count))
        for number in 0..<count {
            let place = start + number * BlendVector.width
            values.append(bytes.vector(at: place, from: place).add)
        }
        return start + count * BlendVector.width
    }

    private mutating func addBlock(_ row: Int, _ bytes: borrowing AffineRow, _ start: Int) -> Int {
        guard rowBytes >= BlendVector.width else { return addSingle(row, bytes, start) }
        // At the right edge a block begins earlier, with bytes that stay as they are.
        let place = min(start, rowBytes - BlendVector.width)
        if blockRows.last?.row != row { blockRows.append((row, 0)) }
        blockRows[blockRows.count - 1].count += 1
        blockPlaces.append(UInt16(place))
        let vector = bytes.vector(at: place, from: start)
        blockSteps.append(vector.keep)
        blockSteps.append(vector.add)
        return place + BlendVector.width
    }

    private mutating func addSingle(_ row: Int, _ bytes: borrowing AffineRow, _ index: Int) -> Int {
        singles.append((BlendPlace(row: row, byte: index), bytes.step(index)))
        return index + 1
    }
}

extension AffineRow {
    fileprivate func step(_ index: Int) -> BlendStep { BlendStep(keep: keep[index], add: add[index]) }

    fileprivate func firstTouched(from start: Int) -> Int? {
        var index = start
        while index < touched.upperBound {
            if keep[index] != 1 { return index }
            index += 1
        }
        return nil
    }

    /// The steps of the eight bytes at a place; those before `start` were done already.
    fileprivate func vector(at place: Int, from start: Int) -> BlendVector {
        var vector = BlendVector.identity
        for index in start..<min(place + BlendVector.width, count) { vector.set(index - place, step(index)) }
        return vector
    }

    fileprivate func lengthOfRun(from start: Int, period: Int) -> Int {
        var index = start + period
        while index < touched.upperBound, keep[index] == keep[index - period], add[index] == add[index - period] {
            index += 1
        }
        return min(index, touched.upperBound) - start
    }

    fileprivate func lengthOfShade(from start: Int, period: Int) -> Int {
        var index = start + period
        while index < touched.upperBound, keep[index] == keep[index - period] { index += 1 }
        return min(index, touched.upperBound) - start
    }
}

// MARK: - Doing

extension PlanePlan {
    /// Does it to a plane in memory.
    ///
    /// - Parameters:
    ///   - plane: Where ``rowCount`` rows of ``rowBytes`` bytes lie.
    ///   - stride: Bytes from row to row.
    func apply(to plane: UnsafeMutableRawPointer, stride: Int) {
        applyBlocks(to: plane, stride)
        for run in runs { run.apply(to: plane + run.place.offset(stride)) }
        values.withUnsafeBufferPointer { values in
            for shade in shades { shade.apply(to: plane + shade.place.offset(stride), values) }
        }
        for (place, step) in singles {
            let byte = plane + place.offset(stride)
            byte.storeBytes(of: step.apply(to: byte.load(as: UInt8.self)), as: UInt8.self)
        }
    }
}

extension PlanePlan {
    /// So many rows ahead their memory is asked for: lines jump about in the frame, which no processor foresees, but
    /// are mostly where they were in the row before.
    private static let foresight = 6

    private func applyBlocks(to plane: UnsafeMutableRawPointer, _ stride: Int) {
        let ahead = stride &* Self.foresight
        blockPlaces.withUnsafeBufferPointer { places in
            blockSteps.withUnsafeBufferPointer { steps in
                var next = 0
                for (row, count) in blockRows {
                    let start = plane + row &* stride
                    let end = next &+ count
                    while next < end {
                        let place = start + Int(places[next])
                        cprefetch_for_writing(place + ahead)
                        BlendVector.apply(steps[2 &* next], steps[2 &* next &+ 1], to: place)
                        next &+= 1
                    }
                }
            }
        }
    }
}

extension PlanePlan.Run {
    fileprivate func apply(to start: UnsafeMutableRawPointer) {
        for number in 0..<count { BlendVector.apply(vector.keep, vector.add, to: start + number &* BlendVector.width) }
    }
}

extension PlanePlan.Shade {
    fileprivate func apply(to first: UnsafeMutableRawPointer, _ values: UnsafeBufferPointer<SIMD8<UInt16>>) {
        for number in 0..<count {
            BlendVector.apply(vector.keep, values[start &+ number], to: first + number &* BlendVector.width)
        }
    }
}
