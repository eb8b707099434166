// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The number of blocks of one kind in a picture's grid, and how widely they are spread.
struct BlockSpread: Sendable, Hashable {
    private(set) var count = 0
    private var columns = 0, rows = 0, squares = 0

    mutating func add(column: Int, row: Int) {
        count += 1
        (columns, rows) = (columns + column, rows + row)
        squares += column * column + row * row
    }

    /// The mean square of the distances from their center, in blocks.
    var variance: Double {
        guard count > 0 else { return 0 }
        let (x, y) = (Double(columns) / Double(count), Double(rows) / Double(count))
        return Double(squares) / Double(count) - x * x - y * y
    }
}
