// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Tiles of the frame's own shape, side by side on a part of it, as large as they can be. Lengths are in shorter sides of
/// the frame.
struct FrameGrid: Sendable, Hashable {
    /// A field of the frame.
    struct Field: Sendable, Hashable {
        var x: Double, y: Double, width: Double, height: Double

        /// The same with as much around it on all sides.
        func grown(by margin: Double) -> Field {
            Field(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
        }
    }

    /// The fields of the tiles, row by row; those of a last row that is not full are in its middle.
    let tiles: [Field]
    /// The width and height of a tile, in those of the frame.
    let scale: Double

    /// Lays out tiles.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - field: Where.
    ///   - frame: The size of the frame.
    ///   - label: What is left free below each.
    ///   - gap: What is left free between them.
    init(
        _ count: Int, in field: Field, ofFrame frame: (width: Double, height: Double), label: Double, gap: Double
    ) {
        func scale(columns: Int) -> Double {
            let (across, down) = (Double(columns), Double((count + columns - 1) / columns))
            let width = (field.width - gap * (across - 1)) / across
            let height = (field.height - gap * (down - 1)) / down - label
            return min(width / frame.width, height / frame.height)
        }
        let columns = (1...max(1, count)).max { scale(columns: $0) < scale(columns: $1) } ?? 1
        let size = max(0.01, scale(columns: columns))
        let tile = (width: frame.width * size, height: frame.height * size)
        let rows = (count + columns - 1) / columns
        let (stepX, stepY) = (tile.width + gap, tile.height + label + gap)
        let top = field.y + (field.height - (Double(rows) * stepY - gap)) / 2
        self.scale = size
        tiles = (0..<count).map { index in
            let (row, column) = (index / columns, index % columns)
            let inRow = min(columns, count - row * columns)
            let left = field.x + (field.width - (Double(inRow) * stepX - gap)) / 2
            return Field(
                x: left + Double(column) * stepX, y: top + Double(row) * stepY, width: tile.width,
                height: tile.height)
        }
    }
}
