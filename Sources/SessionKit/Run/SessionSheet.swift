// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor
import PresetKit
import StillKit

/// Several pictures of a session in one, for a printer or a phone. Pure.
struct SessionSheet: Sendable {
    /// A picture on the sheet: the path of its file, and its size in pixels.
    struct Picture: Sendable {
        let path: String
        let width: Int, height: Int
    }

    /// The size in pixels. Both are multiples of 16, the blocks of JPEG.
    let width: Int, height: Int
    let layers: [Layer]
    /// The pixels of the largest picture. They are decoded one after the other.
    private let mostPixels: Int

    static let ground = Color(red: 1, green: 1, blue: 1)
    private static let ink = Color(red: 0.1, green: 0.1, blue: 0.1)

    /// Lays out a sheet.
    ///
    /// - Parameters:
    ///   - pictures: At least one; the sheet shows the first of them, as many as have room.
    ///   - title: The line below the pictures; empty for none.
    init(_ kind: SessionResult, of pictures: [Picture], titled title: String) {
        switch kind {
        case .strip: self.init(strip: Array(pictures.prefix(8)), title)
        case .contactSheet: self.init(sheet: Array(pictures.prefix(100)), title)
        }
    }

    /// One below another, 2 inches wide at 320 dots per inch.
    private init(strip pictures: [Picture], _ title: String) {
        let (side, margin, gap, foot) = (640.0, 32.0, 24.0, title.isEmpty ? 0.0 : 72.0)
        var (y, boxes) = (margin, [FrameGrid.Field]())
        for picture in pictures {
            let height = (side - 2 * margin) * Double(picture.height) / Double(picture.width)
            boxes.append(FrameGrid.Field(x: margin, y: y, width: side - 2 * margin, height: height))
            y += height + gap
        }
        self.init(
            width: Int(side), height: Self.blocks(y - gap + margin + foot), pictures, boxes, title, footHeight: foot)
    }

    /// Side by side, 6 by 4 inches at 300 dots per inch.
    private init(sheet pictures: [Picture], _ title: String) {
        let (width, height, margin, foot) = (1792.0, 1200.0, 40.0, title.isEmpty ? 0.0 : 88.0)
        let field = FrameGrid.Field(
            x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin - foot)
        let shape = (width: Double(pictures[0].width), height: Double(pictures[0].height))
        let grid = FrameGrid(pictures.count, in: field, ofFrame: shape, label: 0, gap: 16)
        self.init(width: Int(width), height: Int(height), pictures, grid.tiles, title, footHeight: foot)
    }

    private init(
        width: Int, height: Int, _ pictures: [Picture], _ boxes: [FrameGrid.Field], _ title: String, footHeight: Double
    ) {
        (self.width, self.height) = (width, height)
        let (frameWidth, frameHeight) = (Double(width), Double(height))
        var layers = zip(pictures, boxes).enumerated().map { index, pair in
            let (picture, box) = pair
            let aspect = Double(picture.width) / Double(picture.height)
            // A layer of the size 1 is as large as fits into the frame.
            let whole = min(frameWidth, frameHeight * aspect)
            let wanted = min(box.width, box.height * aspect)
            let center = UnitPoint((box.x + box.width / 2) / frameWidth, (box.y + box.height / 2) / frameHeight)
            return Layer(
                "picture-\(index)", .image(path: picture.path),
                Placement(position: center, anchor: .center, size: wanted / whole, margin: .pixels(0)))
        }
        if !title.isEmpty {
            let fit = TextFit(
                title, width: frameWidth / min(frameWidth, frameHeight) * 0.86, height: 0.06, sizes: 0.02...0.045)
            var layer = Layer(
                "title", .text(TextTemplate(verbatim: fit.text)),
                Placement(
                    position: UnitPoint(0.5, 1 - footHeight / 2 / frameHeight), anchor: .center, size: fit.size,
                    margin: .pixels(0)))
            layer.style.color = Self.ink
            layer.style.halo = .pixels(0)
            layers.append(layer)
        }
        self.layers = layers
        mostPixels = pictures.map { $0.width * $0.height }.max() ?? 0
    }

    private static func blocks(_ length: Double) -> Int { (Int(length.rounded(.up)) + 15) / 16 * 16 }

    /// Draws the sheet as a JPEG.
    func draw(by rasterizer: any Rasterizer) async throws(CaptureError) -> [UInt8] {
        // The process that draws decodes a picture, and copies it once. Its own memory is limited, too.
        let memory = DecodingMemory.shared
        let claim = try await memory.claim(min(mostPixels * 8, memory.byteCount))
        defer { withExtendedLifetime(claim) {} }
        return try await LayerPicture(width: width, height: height, ground: Self.ground).draw(
            layers, by: rasterizer, as: .jpeg)
    }
}
