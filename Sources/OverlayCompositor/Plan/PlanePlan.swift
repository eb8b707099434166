// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux

/// The changes to one plane of each frame: only the bytes that are drawn on, prepared for SIMD.
///
/// Lines are blocks of eight bytes, each with its own steps. Surfaces are runs, which have the same vector throughout,
/// or shades, which have the same `keep` and a separate `add` for each byte. A picture over the whole frame therefore
/// takes only two bytes of memory for each byte of the frame.
struct PlanePlan: Sendable {
    /// Consecutive vectors with the same change.
    struct Run: Sendable {
        let place: BlendPlace
        let count: Int
        let vector: BlendVector
    }

    /// Consecutive vectors with the same `keep`, each with its own `add`.
    struct Shade: Sendable {
        let place: BlendPlace
        let count: Int
        let vector: BlendVector
        /// The index of its first value in ``PlanePlan/values``.
        let start: Int
    }

    /// The size of the plane that the plan is made for. Planes of other sizes stay unchanged.
    let rowCount: Int
    let rowBytes: Int

    /// The rows that have blocks, and the number of blocks in each.
    private(set) var blockRows: [(row: Int, count: Int)] = []
    /// The first byte of each block in its row.
    private(set) var blockPlaces: [UInt16] = []
    /// The change to each block: `keep`, then `add`.
    private(set) var blockSteps: [SIMD8<UInt16>] = []
    private(set) var runs: [Run] = []
    private(set) var shades: [Shade] = []
    /// The `add` of each vector of the shades.
    private(set) var values: [SIMD8<UInt16>] = []
    /// The changes to single bytes of planes that are narrower than a vector.
    private(set) var singles: [(place: BlendPlace, step: BlendStep)] = []

    init(rowCount: Int, rowBytes: Int) {
        self.rowCount = rowCount
        self.rowBytes = rowBytes
    }

    /// The number of bytes that are read for each frame.
    var touchedBytes: Int {
        let vectors = blockPlaces.count + runs.reduce(0) { $0 + $1.count } + shades.reduce(0) { $0 + $1.count }
        return vectors * BlendVector.width + singles.count
    }
}

// MARK: - Making

extension PlanePlan {
    /// The length in bytes from which equal changes become a run or a shade.
    private static let longRun = 64

    /// Adds the drawing of one row.
    ///
    /// - Parameter period: The number of bytes after which the same component comes again.
    mutating func add(_ row: Int, _ bytes: borrowing AffineRow, period: Int) {
        // Steps repeat within a vector only if the period divides its width. Three bytes a pixel do not, unless all
        // bytes are equal.
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
        // At the right edge a block begins earlier, with bytes that stay unchanged.
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

    /// Returns the steps of the eight bytes at `place`. Bytes before `start` stay unchanged: an earlier vector has
    /// blended them.
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

// MARK: - Applying

extension PlanePlan {
    /// Applies the plan to a plane in memory.
    ///
    /// - Parameters:
    ///   - plane: The address of ``rowCount`` rows of ``rowBytes`` bytes.
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
    /// The number of rows to prefetch ahead. Processors cannot predict the scattered accesses of lines, but in each row
    /// lines are mostly at the same place as in the row before.
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
