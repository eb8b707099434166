// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Groups layers that are blended together: those that touch the same cells (``CellSet``), because rounding errors of
/// separate blends add up. All other layers stay separate, so that a change of a text rebuilds only its own part.
struct LayerGroups {
    /// The indices of layers, each group from bottom to top. The layers with `isGround` come first, as one group.
    let groups: [[Int]]

    /// - Parameter origin: The offset of the images' frame in the whole frame, because a byte can stand for several
    ///   pixels.
    init(_ layers: [DrawnLayer], origin: (x: Int, y: Int)) {
        let ground = layers.indices.filter { layers[$0].isGround }
        var figures: [(members: [Int], cells: CellSet)] = []
        for index in layers.indices where !layers[index].isGround {
            let cells = CellSet(layers[index].image, origin)
            let touching = figures.filter { $0.cells.intersects(cells) }
            figures.removeAll { $0.cells.intersects(cells) }
            let members = touching.flatMap(\.members) + [index]
            figures.append((members.sorted(), touching.reduce(cells) { $0.union($1.cells) }))
        }
        groups = (ground.isEmpty ? [] : [ground]) + figures.map(\.members)
    }
}

/// The cells of 16 x 2 pixels that an image touches, as a bit set.
struct CellSet {
    private var rows: [Int: [UInt64]] = [:]

    init(_ image: RasterImage, _ origin: (x: Int, y: Int)) {
        let (left, top) = (image.x + origin.x, image.y + origin.y)
        guard image.width > 0, left >= 0, top >= 0 else { return }
        let words = (left + image.width) / 16 / 64 + 1
        for row in 0..<image.height {
            var bits = rows[(top + row) / 2] ?? [UInt64](repeating: 0, count: words)
            let start = row * image.width
            for column in 0..<image.width where image.pixels[start + column] != 0 {
                let cell = (left + column) / 16
                bits[cell / 64] |= 1 << UInt64(cell % 64)
            }
            rows[(top + row) / 2] = bits
        }
    }

    func intersects(_ other: CellSet) -> Bool {
        rows.contains { row, bits in
            guard let others = other.rows[row] else { return false }
            return zip(bits, others).contains { $0 & $1 != 0 }
        }
    }

    func union(_ other: CellSet) -> CellSet {
        var union = self
        union.rows.merge(other.rows) { first, second in
            let (long, short) = first.count >= second.count ? (first, second) : (second, first)
            return long.indices.map { long[$0] | ($0 < short.count ? short[$0] : 0) }
        }
        return union
    }
}
