// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import SessionKit
@testable import SessionModel

@Suite struct `The grid of tiles` {
    private static let field = FrameGrid.Field(x: 0.05, y: 0.14, width: 1.68, height: 0.75)

    @Test(arguments: 1...24) func `Tiles lie apart in their field, and have the proportions of the frame`(count: Int) {
        let grid = FrameGrid(count, in: Self.field, ofFrame: (16.0 / 9, 1), label: 0.05, gap: 0.03)
        #expect(grid.tiles.count == count)
        for tile in grid.tiles {
            #expect(abs(tile.width / tile.height - 16.0 / 9) < 1e-9)
            #expect(tile.x > 0.049 && tile.x + tile.width < 1.731 && tile.y > 0.139 && tile.y + tile.height < 0.841)
        }
        for (index, tile) in grid.tiles.enumerated() {
            for other in grid.tiles[(index + 1)...] {
                #expect(other.x >= tile.x + tile.width + 0.029 || other.y >= tile.y + tile.height + 0.079)
            }
        }
    }

    @Test func `The number of tiles in a row makes the tiles as large as possible`() {
        func columns(_ count: Int, _ width: Double, _ height: Double) -> Int {
            let field = FrameGrid.Field(x: 0, y: 0, width: width, height: height)
            let grid = FrameGrid(count, in: field, ofFrame: (width, height), label: 0, gap: 0)
            return Set(grid.tiles.prefix(count).map(\.x)).count
        }
        #expect(columns(1, 16, 9) == 1 && columns(4, 16, 9) == 2 && columns(9, 16, 9) == 3)
    }
}
