// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The tiles of the review that are selected and shown alone, counted from 0. Pure.
struct ReviewSelection: Sendable, Hashable {
    /// The selected tile; `nil` until the user selects a tile or shows one alone.
    private(set) var selected: Int?
    /// The tile that is shown alone; `nil` while all tiles are shown.
    private(set) var closeUp: Int?

    /// Returns the tile that a request concerns: the one that is shown alone, selected, or the only one; `nil` if there
    /// is none.
    func target(of count: Int) -> Int? { closeUp ?? selected ?? (count == 1 ? 0 : nil) }

    /// The first tile of the current page.
    var pageStart: Int { (selected ?? 0) / SessionComposer.mostTiles * SessionComposer.mostTiles }

    /// Moves the selection by this many tiles, and wraps around at the ends.
    mutating func move(by step: Int, of count: Int) {
        let start = selected ?? (step > 0 ? -1 : count)
        select(((start + step % count) % count + count) % count)
    }

    /// Moves the selection to the first tile of the next page, or of the previous page, and wraps around at the ends.
    mutating func turnPage(forward isForward: Bool, of count: Int) {
        let size = SessionComposer.mostTiles
        let pages = (count + size - 1) / size
        select(((selected ?? 0) / size + (isForward ? 1 : pages - 1)) % pages * size)
    }

    private mutating func select(_ tile: Int) {
        selected = tile
        if closeUp != nil { closeUp = tile }
    }

    /// Shows a tile alone; shows all tiles if it is shown alone already, or if `tile` is `nil`.
    mutating func lookCloser(at tile: Int?) {
        closeUp = tile == closeUp ? nil : tile
        selected = tile ?? selected
    }

    /// Updates the selection for a new phase. A retake keeps the selected tile.
    mutating func enter(_ phase: SessionMachine.Phase) {
        closeUp = nil
        if phase != .review, phase.stage == nil { selected = nil }
    }

    /// Keeps the selection within the tiles: a stage that the user has skipped has fewer.
    mutating func limit(to count: Int) { selected = selected.map { min($0, count - 1) } }
}
