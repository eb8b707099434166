// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import LedgerKit
import StillKit

extension ServiceSeries {
    /// Reads the pictures of a contact sheet: the lines of the ledger, and the heads of the pictures that are chosen. Blocks.
    ///
    /// - Parameters:
    ///   - filter: The lines from which pictures are chosen.
    ///   - most: The maximum number of pictures.
    /// - Throws: `CaptureError` with the ID as subject: `.noInput` if there is no ledger yet; `.temporary` if the flag is
    ///   set; an error if the ledger is damaged.
    package func sheet(_ filter: LedgerFilter, most: Int, until flag: CancelFlag) throws(CaptureError) -> SheetDraft {
        do throws(CaptureError) {
            let reader = try LedgerReader(try existingLedger)
            guard let folder = PictureFolder(of: self) else { throw CaptureError(.noInput, "stores no pictures") }
            var (roll, damagedCount) = (SheetRoll(), 0)
            try Self.eachPicture(reader, filter, until: flag) { _ in
                damagedCount += 1
            } _: { line, still in
                roll.append(line.id, at: still.captured, line.filmSlot)
            }
            var draft = SheetDraft(id, of: roll, skippedCount: damagedCount, by: folder.opener)
            for number in roll.chosen(most: most) {
                var filter = LedgerFilter()
                filter.identifiers = number...number
                try Self.eachPicture(reader, filter, until: flag) { line, still in
                    let path = still.file ?? ""
                    draft.add(path, named: DeviceFiles.name(of: path), at: still.captured)
                }
            }
            return draft
        } catch {
            // Paths are of this machine alone.
            throw CaptureError(error.code, error.message, subject: id)
        }
    }

    /// Calls `body` with the lines whose pictures are stored.
    private static func eachPicture(
        _ reader: LedgerReader, _ filter: LedgerFilter, until flag: CancelFlag, damaged: (Int?) -> Void = { _ in },
        _ body: (LedgerReader.Line, LedgerStill) -> Void
    ) throws(CaptureError) {
        var filter = filter
        filter.areStored = true
        try reader.eachSoundLine(filter, damaged: damaged) { line throws(CaptureError) in
            if flag.isSet { throw CaptureError(.temporary, "the request was canceled") }
            guard let still = line.still, line.removal == nil, !line.isReplaced else { return }
            body(line, still)
        }
    }
}

extension PictureFolder {
    /// Opens pictures by the paths in a ledger. Its errors name no path.
    fileprivate var opener: PictureOpener {
        { path throws(CaptureError) in
            do throws(RegularFile.Failure) {
                return try open(path)
            } catch {
                throw CaptureError(.noInput, "the file of the picture cannot be read")
            }
        }
    }
}
