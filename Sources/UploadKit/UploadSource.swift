// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Numbered lines with pictures: the ledger of a series, the list of a camera's clips, or the sessions of a folder. Every
/// call blocks.
protocol UploadSource {
    /// Distinguishes the source from others at the same path.
    var identity: String { get }

    /// The number of the newest line; 0 if there is none.
    func newestLine() throws(CaptureError) -> Int

    /// Returns the lines whose pictures are not complete yet. Lines after them can be complete.
    func pendingLines() throws(CaptureError) -> [Int]

    /// Returns the pictures at one end of a range of lines.
    ///
    /// - Parameters:
    ///   - lines: The range; its lines need not have pictures.
    ///   - order: The end of the range at which reading begins.
    ///   - most: The maximum number of pictures.
    func pictures(
        in lines: ClosedRange<Int>, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> UploadPage
}

extension UploadSource {
    func pendingLines() throws(CaptureError) -> [Int] { [] }

    /// Returns the lines that are not taken, up to the newest line.
    ///
    /// - Parameter taken: The lines that were taken. The pending lines are added to it.
    func newestLine(passing taken: inout LineRanges) throws(CaptureError) -> Int {
        // In this order: a line that is pending now and is not among the pending ones later is complete.
        let newest = try newestLine()
        for line in try pendingLines() { taken.insert(line...line) }
        return newest
    }

    /// Returns the next pictures that a target has not taken; `nil` if there are no further lines.
    func next(
        after taken: LineRanges, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> UploadPage? {
        var passed = taken
        let newest = try newestLine(passing: &passed)
        guard let gap = order == .oldest ? passed.lowestGap(upTo: newest) : passed.highestGap(upTo: newest) else {
            return nil
        }
        var page = try pictures(in: gap, order, most: most)
        passed.insert(page.lines)
        page.isLast = passed.lowestGap(upTo: newest) == nil
        return page
    }
}

/// The pictures of a range of lines.
package struct UploadPage: Sendable, Hashable {
    /// The pictures in the order of their lines.
    package var pictures: [UploadPicture]
    /// The lines that were read: a part of the range at one of its ends.
    package var lines: ClosedRange<Int>
    /// The lines among them whose pictures are not sent: of another type, outside of the folder of the ledger, without a
    /// hash, with invalid values, removed, or of a session that is gone or must not be kept.
    package var unsent: [Int] = []
    /// `true` if no further lines are left now.
    package var isLast = false
}

extension OutboxConfiguration.Route {
    /// Opens a source of the route; `nil` if it is missing.
    ///
    /// - Parameters:
    ///   - path: A ledger, a list of clips, or the folder of sessions.
    ///   - clock: Judges whether consents have ended.
    func source(
        _ path: String, _ store: OutboxStore, _ clock: AgeClock
    ) throws(CaptureError) -> (any UploadSource)? {
        switch kind {
        case .series, .clips: try kind.account(path)
        case .sessions: try SessionUploads(path, store, clock: clock)
        }
    }
}
