// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import StillKit

/// The pictures of one contact sheet, which is drawn in memory and not stored.
package struct SheetDraft: Sendable {
    /// The pictures that are loaded at a time: a service has other work, too.
    private static let width = 2

    private let title: String
    /// All pictures from which those of the sheet are chosen.
    private let roll: SheetRoll
    /// The chosen pictures, in their order.
    private var pictures: [FilmPicture] = []
    private var skippedCount: Int
    private let opener: PictureOpener

    /// Creates a draft without pictures.
    ///
    /// - Parameters:
    ///   - title: The title of the series or the album.
    ///   - roll: All pictures.
    ///   - skippedCount: The number of pictures that are not in it, because their lines are damaged.
    ///   - opener: Opens the files of pictures.
    package init(
        _ title: String, of roll: SheetRoll, skippedCount: Int = 0, by opener: @escaping PictureOpener
    ) { (self.title, self.roll, self.skippedCount, self.opener) = (title, roll, skippedCount, opener) }

    /// Reads the head of a chosen picture, and adds it. A damaged one is skipped; a contact sheet is left out. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path, or another name, with which the opener opens the file.
    ///   - name: The name of the file.
    package mutating func add(_ path: String, named name: String, at time: WallTime) {
        do throws(CaptureError) {
            var picture = try FilmPicture(try opener(path), path, named: name)
            picture.moment = FilmPicture.Moment(time, .capture)
            if !picture.isSheet { pictures.append(picture) }
        } catch {
            skippedCount += 1
        }
    }

    /// Draws the sheet.
    ///
    /// - Parameter settings: How the pictures are shown; they are chosen already.
    /// - Returns: A JPEG.
    /// - Throws: ``CaptureError``, with the title as subject and without a path: `noInput` if no picture can be shown,
    ///   `temporary` if the task is canceled.
    package func jpeg(_ settings: SheetSettings, _ rasterizer: any Rasterizer) async throws(CaptureError) -> [UInt8] {
        guard roll.count > 0 else { throw CaptureError(.noInput, "has no pictures of this time", subject: title) }
        guard !pictures.isEmpty else { throw noneShown }
        do {
            return try await draw(SheetPlan(pictures, of: roll, settings, title: title), rasterizer)
        } catch let error as CaptureError {
            throw CaptureError(error.code, error.message, subject: title, advice: error.advice)
        } catch {
            throw CaptureError(.software, "the contact sheet cannot be drawn", subject: title)
        }
    }

    private var noneShown: CaptureError {
        CaptureError(.noInput, "none of its pictures can be shown", subject: title)
    }

    private func draw(_ plan: SheetPlan, _ rasterizer: any Rasterizer) async throws -> [UInt8] {
        let painter = try SheetPainter(plan, rasterizer, by: opener, width: Self.width)
        var skippedCount = skippedCount
        let draft = try await painter.draft(0) { skipped in
            skippedCount += skipped == nil ? 0 : 1
            return !Task.isCancelled
        }
        guard var draft else { throw CaptureError(.temporary, "drawing was canceled") }
        guard !draft.shown.isEmpty else { throw noneShown }
        let findings = SheetFindings(
            gapCount: roll.gapCount, missingCount: roll.missingCount, skippedCount: skippedCount)
        let words = SheetReport.words(pictures.count, of: roll.count)
        return try await painter.finish(&draft, 0, SheetPainter.Texts(count: words, findings: findings.words), .jpeg)
    }
}
