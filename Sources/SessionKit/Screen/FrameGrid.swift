// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Tiles with the frame's aspect ratio, side by side in a part of the frame, as large as possible. Lengths are in
/// multiples of the frame's shorter side.
struct FrameGrid: Sendable, Hashable {
    /// A rectangle of the frame.
    struct Field: Sendable, Hashable {
        var x: Double, y: Double, width: Double, height: Double

        /// Returns `true` if the field contains a place.
        func contains(_ x: Double, _ y: Double) -> Bool {
            (self.x...self.x + width).contains(x) && (self.y...self.y + height).contains(y)
        }

        /// The field with a margin added on all sides.
        func grown(by margin: Double) -> Field {
            Field(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
        }
    }

    /// The fields of the tiles, row by row. An incomplete last row is centered.
    let tiles: [Field]
    /// The size of a tile as a fraction of the frame's size.
    let scale: Double

    /// Lays out tiles.
    ///
    /// - Parameters:
    ///   - count: The number of tiles.
    ///   - field: The part of the frame to fill.
    ///   - frame: The size of the frame.
    ///   - label: The height kept free below each tile.
    ///   - gap: The distance between tiles.
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
