// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Finds the sent pictures of a series, from old to new.
///
/// It jumps from one range of sent lines to the next, and searches the inventory for a picture in it: the time does not
/// depend on the number of unsent pictures before it.
struct SentSearch: Sendable {
    private let pictures: any SentPictures
    private var version = -1
    /// No picture with an earlier line is sent, until ``version`` changes.
    private var first = 1

    init(_ pictures: any SentPictures) { self.pictures = pictures }

    /// Why no picture counts as sent; `nil` if the outbox can be read.
    var fault: CaptureError? { pictures.fault }

    /// Reads the outbox if it has changed.
    mutating func refresh() {
        let version = pictures.refresh()
        if version != self.version { (self.version, first) = (version, 1) }
    }

    /// Returns the oldest sent picture, unless it is the newest of all.
    mutating func oldest(in inventory: SeriesInventory) -> StoredStill? {
        let (still, line) = next(from: first, in: inventory)
        first = line
        return still
    }

    /// Returns the next sent picture, unless it is the newest of all.
    func next(after still: StoredStill, in inventory: SeriesInventory) -> StoredStill? {
        still.ledgerLine.flatMap { next(from: $0 + 1, in: inventory).still }
    }

    /// `true` if a picture is sent.
    func contains(_ still: StoredStill) -> Bool {
        still.ledgerLine.map(pictures.contains) ?? false
    }

    /// Returns the first sent picture from a line on, and the line up to which there is none.
    private func next(from line: Int, in inventory: SeriesInventory) -> (still: StoredStill?, line: Int) {
        let (found, line) = pictures.first(from: line) { line in
            inventory.next(fromLine: line).flatMap { still in still.ledgerLine.map { (still, $0) } }
        }
        return (found == inventory.newest ? nil : found, line)
    }
}
