// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit

extension StillCoding {
    /// Returns a small JPEG of a picture, upright, and at most `width` pixels wide. A smaller picture keeps its size.
    ///
    /// - Throws: ``CaptureError`` if the file is damaged, too large, or neither JPEG nor PNG.
    package static func thumbnail(
        of bytes: [UInt8], _ format: StillFormat, width: Int
    ) async throws(CaptureError) -> [UInt8] {
        let file = try await open(bytes, format)
        let orientation = ExifBlock(ofFile: bytes, format)?.orientation ?? .upright
        let size = smallSize(file, orientation, width: width)
        let claim = try await DecodingMemory.shared.claim(
            file.workBytes + (file.width + 2 * size.width * size.height) * 4)
        defer { withExtendedLifetime(claim) {} }
        let small = try await CancelFlag.run { (flag) throws(CaptureError) in
            try shrunk(file, to: size, until: flag).turned(by: orientation)
        }
        return try await encode(small, .jpeg, quality: 80)
    }

    /// The size of a small picture as it is stored, before it is turned upright.
    private static func smallSize(
        _ file: PictureFile, _ orientation: Orientation, width most: Int
    ) -> (width: Int, height: Int) {
        let isTurned = orientation.swapsAxes
        let (width, height) = isTurned ? (file.height, file.width) : (file.width, file.height)
        let small = width > most ? (most, max(1, height * most / width)) : (width, height)
        return isTurned ? (small.1, small.0) : small
    }

    /// Decodes a picture, and averages its rows as they come: its pixels are never in memory at once. Blocks.
    private static func shrunk(
        _ file: PictureFile, to size: (width: Int, height: Int), until flag: CancelFlag
    ) throws(CaptureError) -> StillPixels {
        var shrinker: RowShrinker?
        try file.decode(
            divisor: file.divisor(forWidth: size.width, height: size.height), isStrict: false, until: flag,
            begin: { shrinker = RowShrinker(width: $0, height: $1, to: size) },
            add: { row, _ in shrinker?.add(row) })
        return StillPixels(width: size.width, height: size.height, pixels: shrinker?.pixels ?? [])
    }

    /// Averages the pixels of the picture that each pixel of the result covers.
    static func shrunk(_ picture: StillPixels, to width: Int) -> StillPixels {
        guard picture.width > width else { return picture }
        let height = max(1, picture.height * width / picture.width)
        var pixels: [SIMD4<UInt8>] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            let rows = covered(row, of: height, in: picture.height)
            for column in 0..<width {
                pixels.append(mean(picture, rows, covered(column, of: width, in: picture.width)))
            }
        }
        return StillPixels(width: width, height: height, pixels: pixels)
    }

    fileprivate static func covered(_ index: Int, of count: Int, in length: Int) -> Range<Int> {
        let start = index * length / count
        return start..<max(start + 1, (index + 1) * length / count)
    }

    private static func mean(_ picture: StillPixels, _ rows: Range<Int>, _ columns: Range<Int>) -> SIMD4<UInt8> {
        var sum = SIMD4<UInt32>(repeating: 0)
        for row in rows {
            for column in columns {
                sum &+= SIMD4<UInt32>(truncatingIfNeeded: picture.pixels[row * picture.width + column])
            }
        }
        let count = UInt32(rows.count * columns.count)
        return SIMD4<UInt8>(truncatingIfNeeded: (sum &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count))
    }
}

/// Averages the pixels of a picture that each pixel of a smaller one covers, row by row.
private struct RowShrinker {
    private(set) var pixels: [SIMD4<UInt8>] = []
    private let columns: [Range<Int>]
    private let size: (width: Int, height: Int)
    private let height: Int
    private var sums: [SIMD4<UInt32>]
    private var rows: Range<Int>
    private var y = 0

    /// - Parameters:
    ///   - width, height: The size of the picture.
    ///   - size: The smaller size, at least 1 x 1.
    init(width: Int, height: Int, to size: (width: Int, height: Int)) {
        (self.height, self.size) = (height, size)
        columns = (0..<size.width).map { StillCoding.covered($0, of: size.width, in: width) }
        sums = Array(repeating: SIMD4(), count: size.width)
        rows = StillCoding.covered(0, of: size.height, in: height)
        pixels.reserveCapacity(size.width * size.height)
    }

    /// Adds the next row.
    mutating func add(_ row: UnsafeBufferPointer<SIMD4<UInt8>>) {
        defer { y += 1 }
        guard rows.contains(y) else { return }
        for (index, columns) in columns.enumerated() {
            var sum = sums[index]
            for column in columns { sum &+= SIMD4<UInt32>(truncatingIfNeeded: row[column]) }
            sums[index] = sum
        }
        if y == rows.upperBound - 1 { finishRow() }
    }

    private mutating func finishRow() {
        for (index, columns) in columns.enumerated() {
            let count = UInt32(rows.count * columns.count)
            let mean = (sums[index] &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count)
            pixels.append(SIMD4<UInt8>(truncatingIfNeeded: mean))
            sums[index] = SIMD4()
        }
        let next = pixels.count / size.width
        if next < size.height { rows = StillCoding.covered(next, of: size.height, in: height) }
    }
}
