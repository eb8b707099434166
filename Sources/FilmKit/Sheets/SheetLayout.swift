// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The places of pictures and texts on a contact sheet, in pixels.
package struct SheetLayout: Sendable, Hashable {
    /// The least width of the field of a picture.
    static let leastCell = 32
    /// The most pixels of a side of a sheet: more cannot be drawn.
    private static let mostSide = 16_000
    /// The width of A4 in landscape divided by its height.
    private static let aspect = 2.0.squareRoot()

    /// The size of the sheet.
    package let size: FrameSize
    package let columns: Int, rows: Int
    /// The field in which a picture lies, in the middle.
    package let cell: FrameSize
    /// The height of a line below a picture; 0 for none.
    let captionHeight: Int
    private let measures: Measures

    /// Lengths that follow from the width of the sheet.
    private struct Measures: Sendable, Hashable {
        let width: Int
        let hasCaptions: Bool
        /// The width divided by the height of a field.
        let aspect: Double

        var margin: Int { max(10, width / 50) }
        var gap: Int { max(4, width * 6 / 1000) }
        var titleHeight: Int { max(18, width / 48) }
        var lineHeight: Int { max(12, width / 110) }
        var inner: Int { width - 2 * margin }
        /// The edge of the first row.
        var top: Int { margin + titleHeight + gap * 3 / 2 }
        /// The height below the last row.
        var bottom: Int { gap * 3 / 2 + lineHeight + margin }
        /// The height of a sheet in the shape of A4.
        var pageHeight: Int { Int(Double(width) / SheetLayout.aspect) }

        func cellWidth(_ columns: Int) -> Int { (inner + gap) / columns - gap }

        func captionHeight(_ cellWidth: Int) -> Int {
            hasCaptions ? max(11, min(width / 70, max(width / 130, cellWidth / 11))) : 0
        }

        /// The height from one row to the next.
        func pitch(_ cell: FrameSize) -> Int { cell.height + captionSpace(cell.width) + gap }

        func captionSpace(_ cellWidth: Int) -> Int { captionHeight(cellWidth) * 5 / 4 }

        func height(_ rows: Int, _ cell: FrameSize) -> Int { top + rows * pitch(cell) - gap + bottom }

        /// Returns the field of a picture; a single row is not higher than a page.
        func cell(_ columns: Int, _ rows: Int) -> FrameSize {
            let width = max(1, cellWidth(columns))
            let room = pageHeight - top - bottom - captionSpace(width)
            let height = max(1, Int((Double(width) / aspect).rounded()))
            return FrameSize(width: width, height: rows == 1 ? max(1, min(height, room)) : height)
        }
    }

    /// Lays out a sheet.
    ///
    /// - Parameters:
    ///   - count: The number of pictures, at least 1.
    ///   - aspect: The width of the field of a picture divided by its height.
    ///   - width: The width of the sheet.
    ///   - columns: `nil` for a number with which the sheet has about the shape of A4 in landscape.
    /// - Throws: ``CaptureError`` `.usage` if the pictures would be too small, or the sheet too high.
    package init(
        count: Int, aspect: Double, width: Int, columns: Int? = nil, hasCaptions: Bool = true
    ) throws(CaptureError) {
        let measures = Measures(width: width, hasCaptions: hasCaptions, aspect: aspect)
        let columns = columns ?? Self.columns(count, measures)
        let rows = (count + columns - 1) / columns
        let cell = measures.cell(columns, rows)
        (self.measures, self.columns, self.rows, self.cell) = (measures, columns, rows, cell)
        captionHeight = measures.captionHeight(cell.width)
        size = FrameSize(width: width, height: measures.height(rows, cell))
        guard measures.cellWidth(columns) >= Self.leastCell, cell.height >= 2 else {
            throw CaptureError(
                .usage, "\(columns) columns are too many for a sheet of \(width) pixels",
                advice: "give a larger --size, fewer --columns or a smaller --most")
        }
        guard size.height <= Self.mostSide else {
            throw CaptureError(
                .usage, "\(count) pictures in \(columns) columns make a sheet of \(size)",
                advice: "give more --columns, a smaller --size or a smaller --most")
        }
    }

    /// Returns the number of pictures of a sheet with these columns in the shape of A4, at least one row.
    static func capacity(columns: Int, aspect: Double, width: Int, hasCaptions: Bool) -> Int {
        let measures = Measures(width: width, hasCaptions: hasCaptions, aspect: aspect)
        let cell = measures.cell(columns, 2)
        let room = measures.pageHeight - measures.top - measures.bottom + measures.gap
        return columns * max(1, room / measures.pitch(cell))
    }

    /// Returns the number of columns with which a sheet has about the shape of A4, and few empty fields. Of equal ones, that
    /// with the largest pictures is chosen.
    private static func columns(_ count: Int, _ measures: Measures) -> Int {
        let most = max(1, min(count, (measures.inner + measures.gap) / (leastCell + measures.gap)))
        var best: (columns: Int, empty: Int)?
        for columns in 1...most {
            let rows = (count + columns - 1) / columns
            let height = measures.height(rows, measures.cell(columns, rows))
            guard Double(height) <= Double(measures.pageHeight) * 1.1 else { continue }
            let empty = columns * rows - count
            guard let found = best else {
                best = (columns, empty)
                continue
            }
            guard Double(height) >= Double(measures.pageHeight) * 0.85 else { break }
            if empty < found.empty { best = (columns, empty) }
        }
        return best?.columns ?? most
    }
}

// MARK: - Places

extension SheetLayout {
    /// The number of pictures of a full sheet.
    package var capacity: Int { columns * rows }

    /// Returns the field of a picture, by its number from 0.
    package func field(_ number: Int) -> CropRectangle {
        let (row, column) = number.quotientAndRemainder(dividingBy: columns)
        // The pixels that remain of a division are spread, so that both margins are equal.
        let x = measures.margin + column * (measures.inner + measures.gap) / columns
        return CropRectangle(
            x: x, y: measures.top + row * measures.pitch(cell), width: cell.width, height: cell.height)
    }

    /// Returns the place of a picture of a size, without distortion in the middle of its field. A small picture is not
    /// enlarged.
    package func place(_ number: Int, of picture: FrameSize) -> CropRectangle {
        let field = field(number)
        let size = fitted(picture)
        return CropRectangle(
            x: field.x + (field.width - size.width) / 2, y: field.y + (field.height - size.height) / 2,
            width: size.width, height: size.height)
    }

    /// Returns the largest size in a field that has the shape of a picture, at most that of the picture.
    func fitted(_ picture: FrameSize) -> FrameSize {
        let scale = min(
            1, Double(cell.width) / Double(max(1, picture.width)), Double(cell.height) / Double(max(1, picture.height)))
        func length(_ pixels: Int, _ most: Int) -> Int { max(1, min(most, Int((Double(pixels) * scale).rounded()))) }
        return FrameSize(width: length(picture.width, cell.width), height: length(picture.height, cell.height))
    }

    /// Returns the line below a picture.
    func caption(_ number: Int) -> SheetLine {
        let field = field(number)
        return SheetLine(
            x: field.x + field.width / 2, y: field.y + field.height + captionHeight / 5, height: captionHeight,
            width: cell.width, anchor: 0.5)
    }

    /// The line at the top left.
    var title: SheetLine {
        SheetLine(
            x: measures.margin, y: measures.margin, height: measures.titleHeight, width: measures.inner * 11 / 20,
            anchor: 0)
    }

    /// The line at the top right, which stands on the line of the title.
    var days: SheetLine {
        let height = max(measures.lineHeight, measures.titleHeight / 2)
        return SheetLine(
            x: size.width - measures.margin, y: measures.margin + (measures.titleHeight - height) * 7 / 8,
            height: height,
            width: measures.inner * 9 / 20 - measures.gap, anchor: 1)
    }

    /// The lines at the bottom left and right.
    var findings: SheetLine { foot(x: measures.margin, width: measures.inner * 4 / 5, anchor: 0) }
    var number: SheetLine { foot(x: size.width - measures.margin, width: measures.inner / 6, anchor: 1) }

    private func foot(x: Int, width: Int, anchor: Double) -> SheetLine {
        SheetLine(
            x: x, y: size.height - measures.margin - measures.lineHeight, height: measures.lineHeight, width: width,
            anchor: anchor)
    }
}

/// The place of a line of text.
struct SheetLine: Sendable, Hashable {
    /// The point at which the text begins, ends or has its middle.
    let x: Int
    /// The upper edge.
    let y: Int
    let height: Int
    /// The most width.
    let width: Int
    /// 0 if the text begins at `x`, 1 if it ends there.
    let anchor: Double
}
