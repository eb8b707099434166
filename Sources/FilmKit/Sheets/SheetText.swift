// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// Draws the texts of a contact sheet, each in one line. A text that is too long for its place loses its middle.
struct SheetText: Sendable {
    /// How a text looks.
    enum Look: Sendable {
        case title
        case line
        case caption

        fileprivate var font: String { self == .title ? "Sans Bold" : "Sans" }

        fileprivate var gray: Double {
            switch self {
            case .title: 0.94
            case .line: 0.62
            case .caption: 0.72
            }
        }
    }

    private let rasterizer: any Rasterizer
    private let sheet: FrameSize
    /// The most attempts to shorten a text.
    private static let attempts = 6

    init(_ rasterizer: any Rasterizer, sheet: FrameSize) { (self.rasterizer, self.sheet) = (rasterizer, sheet) }

    /// Draws a text.
    ///
    /// - Throws: ``CaptureError`` if the text cannot be drawn.
    func image(_ text: String, _ look: Look, at line: SheetLine) async throws(CaptureError) -> RasterImage {
        let letters = Array(text.withoutControls)
        // No letter is narrower than a tenth of its line.
        var count = min(letters.count, max(1, line.width * 10 / max(1, line.height)))
        var image = RasterImage.empty
        for _ in 0..<Self.attempts {
            image = try await draw(Self.shortened(letters, to: count), look, line)
            // The drawing ends with its letters. A text that is wider than the sheet has a second line.
            let isWrapped = image.height >= line.height * 3 / 2
            guard image.width > line.width || isWrapped, count > 1 else { break }
            let fitting = image.width > line.width ? count * line.width / image.width : count / 2
            count = max(1, min(count - 1, fitting))
        }
        return image
    }

    /// Returns a text of at most `count` letters, with an ellipsis in place of its middle.
    static func shortened(_ letters: [Character], to count: Int) -> String {
        guard letters.count > count else { return String(letters) }
        let kept = max(0, count - 1)
        return String(letters.prefix((kept + 1) / 2)) + "…" + String(letters.suffix(kept / 2))
    }

    private func draw(_ text: String, _ look: Look, _ line: SheetLine) async throws(CaptureError) -> RasterImage {
        let gray = look.gray
        let style = TextStyle(
            font: look.font, lineHeight: Double(line.height), color: Color(red: gray, green: gray, blue: gray))
        let request = RasterRequest(
            .text(text, style), width: sheet.width, height: sheet.height, point: (Double(line.x), Double(line.y)),
            anchor: UnitPoint(line.anchor, 0), extent: (Double(sheet.width), Double(line.height)))
        do throws(OverlayError) {
            return try await rasterizer.rasterize(request)
        } catch {
            throw CaptureError(.software, error.message, subject: error.subject, advice: error.advice)
        }
    }
}
