// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import FrameMeasures
import OverlayCompositor
import OverlayRaster
import PipelineKit
import StillKit
import Testing

@testable import CropKit

@Suite(.timeLimit(.minutes(5))) struct `A still cropped to an outline` {
    private static let card = SIMD4<UInt8>(210, 180, 60, 255)
    private static let ground = SIMD4<UInt8>(20, 60, 110, 255)

    private let folder: TemporaryFolder
    private let cropper = StillCropper(CairoRasterizer())

    init() throws {
        folder = try TemporaryFolder()
        // A card with a margin of 7, as in the shipped outline.
        try folder.write(
            "card.svg",
            #"<svg viewBox="-7 -7 99.6 67.98"><rect id="subject" width="85.6" height="53.98" rx="3.18"/></svg>"#)
    }

    private func request(size: Double = 0.8) -> CropRequest {
        var request = CropRequest(Outline(name: "card", path: folder.path + "/card.svg"))
        request.placement.size = size
        return request
    }

    /// The box of the outline's card on a preview.
    private func cardBox(width: Int, height: Int, size: Double = 0.8) -> PixelBox {
        let scale = min(Double(width) * size / 99.6, Double(height) * size / 67.98)
        let (across, down) = (85.6 * scale, 53.98 * scale)
        return PixelBox(
            x: (Double(width) - across) / 2, y: (Double(height) - down) / 2, width: across, height: down)
    }

    private func encoded(
        _ picture: StillPixels, _ format: StillFormat, _ orientation: Orientation = .upright
    ) async throws -> [UInt8] {
        var metadata = StillMetadata(captured: .now(), width: picture.width, height: picture.height)
        (metadata.make, metadata.orientation) = ("Maker", orientation)
        return try metadata.embedded(in: await StillCoding.encode(picture, format, quality: 98), format)
    }

    private static func picture(
        _ width: Int, _ height: Int, _ isCard: (_ x: Double, _ y: Double) -> Bool
    ) -> StillPixels {
        let pixels = (0..<width * height).map {
            isCard(Double($0 % width) + 0.5, Double($0 / width) + 0.5) ? card : ground
        }
        return StillPixels(width: width, height: height, pixels: pixels)
    }

    // MARK: Position

    struct Scene: Sendable {
        let frame: (width: Int, height: Int)
        /// The size of the preview; without a width it has the proportions of the turned frame, and no borders.
        let preview: (width: Int?, height: Int)
        let orientation: Orientation
        let isMirrored: Bool

        /// Scales, requested sizes, borders on either axis; each orientation, mirrored or not.
        static let all = [(640, 360, nil, 120), (600, 450, 400, 225), (500, 400, 301, 399)].flatMap {
            (width, height, wide, high) -> [Scene] in
            Orientation.allCases.map {
                Scene(
                    frame: (width, height), preview: (wide as Int?, high), orientation: $0,
                    isMirrored: ($0.rawValue + width / 100) % 3 != 0)
            }
        }

        func geometry(of info: VideoInfo) -> StillGeometry {
            let aspect = orientation.swapsAxes ? 1 / PreviewSize.aspect(info) : PreviewSize.aspect(info)
            let width = preview.width ?? PreviewSize.even(Double(preview.height) * aspect)
            return StillGeometry(
                frame: FrameShape(info), preview: PreviewSize(width: width, height: preview.height),
                hasBorders: preview.width != nil, isMirrored: isMirrored, orientation: orientation)
        }
    }

    @Test(arguments: Scene.all)
    func `A crop contains the card that filled the outline, to the pixel of the still`(scene: Scene) async throws {
        let info = try VideoInfo(format: "I420", width: scene.frame.width, height: scene.frame.height)
        let geometry = scene.geometry(of: info)
        let (wide, high) = (geometry.previewWidth, geometry.previewHeight)
        let box = cardBox(width: wide, height: high, size: 0.5)
        // The scaler works on the frame before it is turned; for I420 it rounds lengths down, and borders are even.
        let scaled = scene.orientation.swapsAxes ? (high, wide) : (wide, high)
        let scale = min(Double(scaled.0) / Double(scene.frame.width), Double(scaled.1) / Double(scene.frame.height))
        let hasBorders = scene.preview.width != nil
        let shown = (
            hasBorders ? (Double(scene.frame.width) * scale + 1e-9).rounded(.down) : Double(scaled.0),
            hasBorders ? (Double(scene.frame.height) * scale + 1e-9).rounded(.down) : Double(scaled.1)
        )
        let (left, top) = (Double((scaled.0 - Int(shown.0)) / 4 * 2), Double((scaled.1 - Int(shown.1)) / 4 * 2))
        let frame = Self.picture(scene.frame.width, scene.frame.height) { x, y in
            let across = left + x / Double(scene.frame.width) * shown.0
            let down = top + y / Double(scene.frame.height) * shown.1
            let (right, bottom) = (Double(scaled.0) - across, Double(scaled.1) - down)
            let (column, row) =
                switch scene.orientation {
                case .upright: (across, down)
                case .mirrored: (right, down)
                case .upsideDown: (right, bottom)
                case .flipped: (across, bottom)
                case .transposed: (down, across)
                case .turnedRight: (bottom, across)
                case .transversed: (bottom, right)
                case .turnedLeft: (down, right)
                }
            let seen = scene.isMirrored ? Double(wide) - column : column
            return seen > box.x && seen < box.x + box.width && row > box.y && row < box.y + box.height
        }
        let still = try await encoded(frame, .png, scene.orientation)
        let crop = try await cropper.crop(still, .png, to: request(size: 0.5), geometry: geometry)
        let picture = try await StillCoding.decode(crop.bytes, .png, .upright)
        #expect((picture.width, picture.height) == (crop.width, crop.height))
        // Nearly all of the card is in the crop, and nearly nothing else.
        let (all, inside) = (frame.pixels.count { $0 == Self.card }, picture.pixels.count { $0 == Self.card })
        #expect(all - inside <= crop.width + crop.height)
        for y in 1..<picture.height - 1 {
            let row = picture.pixels[(y * picture.width + 1)..<((y + 1) * picture.width - 1)]
            #expect(row.allSatisfy { $0 == Self.card }, "row \(y) of \(picture.height)")
        }
    }

    @Test func `A crop has unchanged pixels without an adjustment`() async throws {
        var source = Self.picture(320, 240) { _, _ in false }
        for index in source.pixels.indices { source.pixels[index].x = UInt8(truncatingIfNeeded: index &* 31) }
        let crop = try await cropper.crop(try await encoded(source, .png), .png, to: request())
        let corner = crop.corners.topLeft
        let expected = source.part((Int(corner.x), Int(corner.y), crop.width, crop.height))
        #expect(try await StillCoding.decode(crop.bytes, .png, .upright).pixels == expected.pixels)
        let box = cardBox(width: 320, height: 240)
        #expect(corner.distance(to: PixelPoint(box.x, box.y)) < 1)
    }

    // MARK: Corners

    @Test func `A crop has transparent corners in a PNG, and a plain ground in a JPEG, on request`() async throws {
        let still = try await encoded(Self.picture(400, 300) { _, _ in true }, .png)
        var request = request()
        request.corners = .masked
        let clear = try await cropper.crop(still, .png, to: request)
        let picture = try await StillCoding.decode(clear.bytes, .png, .upright)
        let last = picture.pixels.count - 1
        #expect([0, picture.width - 1, last].allSatisfy { picture.pixels[$0].w == 0 })
        #expect(picture.pixels[picture.width / 2] == Self.card)
        #expect(picture.pixels[picture.width * (picture.height / 2)] == Self.card)
        request.format = .jpeg
        await #expect(throws: CaptureError.self) { try await cropper.crop(still, .png, to: request) }
        request.corners = .rounded(ground: .white)
        let plain = try await cropper.crop(still, .png, to: request)
        let flat = try await StillCoding.decode(plain.bytes, .jpeg, .upright)
        #expect(flat.pixels[0].x > 240 && flat.pixels[0].y > 240 && flat.pixels[0].z > 240)
    }

    @Test func `A crop in JPEG shows black in place of transparent pixels`() async throws {
        let white = SIMD4<UInt8>(255, 255, 255, 0)
        let clear = StillPixels(width: 64, height: 48, pixels: Array(repeating: white, count: 64 * 48))
        var request = request()
        (request.format, request.corners) = (.jpeg, .square)
        let crop = try await cropper.crop(try await encoded(clear, .png), .png, to: request)
        let flat = try await StillCoding.decode(crop.bytes, .jpeg, .upright)
        // At the right and below, jpegenc fills the last blocks with other bytes, which show a little.
        let inner = (0..<16).flatMap { y in (0..<32).map { flat.pixels[y * flat.width + $0] } }
        #expect(inner.allSatisfy { $0.x < 10 && $0.y < 10 && $0.z < 10 })
    }

    // MARK: Tags

    @Test(arguments: [StillFormat.jpeg, .png])
    func `A crop keeps the tags of the still, and its pixels are upright`(format: StillFormat) async throws {
        let still = try await encoded(Self.picture(400, 300) { _, _ in true }, format, .turnedRight)
        let crop = try await cropper.crop(still, format, to: request())
        #expect(crop.height < crop.width && crop.width < 300)
        let tags = try #require(ExifBlock(ofFile: crop.bytes, format))
        #expect(tags.orientation == .upright)
        var expected = try #require(ExifBlock(ofFile: still, format))
        expected.describe(width: crop.width, height: crop.height)
        #expect(tags.bytes == expected.bytes)
        #expect(tags.bytes.contains(Array("Maker".utf8)))
    }

    @Test func `A crop in JPEG has no tags if those of the PNG are too long`() async throws {
        let bare = try await StillCoding.encode(Self.picture(64, 48) { _, _ in true }, .png, quality: 98)
        let tags = StillMetadata(captured: .now(), width: 64, height: 48).exif() + [UInt8](repeating: 0, count: 1 << 16)
        let still = try ExifEmbedding(tags, width: 64, height: 48).embedded(in: bare, .png)
        var request = request()
        for (format, hasTags) in [(StillFormat.jpeg, false), (.png, true)] {
            request.format = format
            let crop = try await cropper.crop(still, .png, to: request)
            #expect((ExifBlock(ofFile: crop.bytes, format) != nil) == hasTags)
        }
    }

    @Test func `A crop with a width in print states its density`() async throws {
        let still = try await encoded(Self.picture(400, 300) { _, _ in true }, .jpeg)
        var request = request()
        request.printWidth = 35
        let crop = try await cropper.crop(still, .jpeg, to: request)
        let header = try #require(JPEGFile(crop.bytes).segments.first { $0.marker == 0xE0 }?.content)
        let perInch = Int((Double(crop.width) / 35 * 25.4).rounded())
        #expect(header[7] == 1 && abs(Int(header[8]) * 256 + Int(header[9]) - perInch) <= 1)
        #expect(ExifBlock(ofFile: crop.bytes, .jpeg) != nil)
    }

    // MARK: Adjusted, rectified

    @Test func `A crop shows the picture moved, zoomed and turned under the outline`() async throws {
        let still = try await encoded(Self.picture(400, 300) { x, y in x > 240 && y < 150 }, .png)
        var request = request()
        let box = cardBox(width: 400, height: 300)
        request.adjustment = CropAdjustment(moveX: -0.1, zoom: 2, turn: 90)
        let crop = try await cropper.crop(still, .png, to: request)
        #expect((Double(crop.width) - box.width / 2).magnitude <= 1)
        // The point above the middle, by a tenth of the width divided by the zoom, is in the middle now.
        let middle = crop.corners.topLeft.toward(crop.corners.bottomRight, 0.5)
        #expect(middle.distance(to: PixelPoint(200, 150 - box.width * 0.1 / 2)) < 1)
        request.adjustment = CropAdjustment(zoom: 0.5)
        let wide = try await StillCoding.decode(
            try await cropper.crop(still, .png, to: request).bytes, .png, .upright)
        #expect(wide.pixels[0] == SIMD4(0, 0, 0, 255))
    }

    @Test func `A crop has the outline's proportions even if zooming out makes it too large`() throws {
        for (width, height) in [(1000, 750), (1000, 10)] {
            let mask = RasterImage(
                x: 0, y: 0, width: width, height: height, pixels: Array(repeating: 0xFF00_0000, count: width * height))
            let shape = try #require(OutlineShape(mask, scale: 0.1))
            // The cut needs only the size of the picture.
            let picture = StillPixels(width: width * 10, height: height * 10, pixels: [])
            let geometry = StillGeometry(stillWidth: picture.width, height: picture.height)
            var request = request()
            request.adjustment.zoom = 0.1
            let cut = try CropCut(request, shape, geometry, picture)
            #expect(cut.width * cut.height <= picture.width * picture.height)
            #expect(max(cut.width, cut.height) <= 16_384)
            let stretch = Double(cut.width * height) / Double(cut.height * width)
            #expect((stretch - 1).magnitude < 0.01)
        }
    }

    @Test(arguments: CardScene.Ground.allCases)
    func `A rectified crop shows a tilted card without its perspective`(ground: CardScene.Ground) async throws {
        let corners = CardScene.card(around: PixelPoint(330, 235), width: 380, turned: 6, tilted: (8, -7))
        let luma = CardScene(width: 640, height: 480, corners: corners, ground: ground).luma
        let scene = StillPixels(width: 640, height: 480, pixels: luma.samples.map { SIMD4($0, $0, $0, 255) })
        var request = request(size: 0.7)
        request.isRectified = true
        let crop = try await cropper.crop(try await encoded(scene, .jpeg), .jpeg, to: request)
        #expect(try #require(crop.confidence) >= CardEdges.leastConfidence)
        for (found, corner) in zip(crop.corners.corners, corners.corners) {
            #expect(found.distance(to: corner) < 2, "\(ground)")
        }
        #expect((Double(crop.width) / Double(crop.height) - 85.6 / 53.98).magnitude < 0.01)
        // The dark stripe is horizontal, at its height on the card.
        let flat = try await StillCoding.decode(crop.bytes, .jpeg, .upright).luma
        for x in stride(from: 0.1, through: 0.6, by: 0.1) {
            let place = PixelPoint(x * Double(crop.width), 105 / 539.8 * Double(crop.height))
            #expect(try #require(flat.value(at: place)) < 70)
        }
    }

    // MARK: Brought in

    @Test func `A crop of a CMYK picture has its colors`() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        for name in ["cmyk-adobe.jpg", "ycck-adobe.jpg"] {
            let still = Array(try Data(contentsOf: folder.appending(path: "StillKitTests/Corpus/\(name)")))
            let crop = try await cropper.crop(still, .jpeg, to: request(size: 1))
            let picture = try await StillCoding.decode(crop.bytes, .jpeg, .upright)
            #expect(picture.pixels[0].x > 180 && picture.pixels[0].y < 60 && picture.pixels[0].z < 60, "\(name)")
        }
    }

    @Test(arguments: Orientation.allCases)
    func `A thumbnail is upright, and small`(orientation: Orientation) async throws {
        let still = try await encoded(Self.picture(400, 300) { x, y in x < 200 && y < 150 }, .png, orientation)
        let small = try await StillCoding.decode(
            try await StillCoding.thumbnail(of: still, .png, width: 40), .jpeg, .upright)
        #expect((small.width, small.height) == (orientation.swapsAxes ? (40, 53) : (40, 30)))
        let whole = try await StillCoding.pixels(of: still, .png)
        for (x, y) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
            func isCard(_ picture: StillPixels) -> Bool {
                let pixel = picture.pixels[
                    Int(y * Double(picture.height)) * picture.width + Int(x * Double(picture.width))]
                return pixel.x > 120
            }
            #expect(isCard(small) == isCard(whole))
        }
    }

    @Test func `A picture gives its memory back after the crop`() async throws {
        let before = DecodingMemory.shared.load.byteCount
        let still = try await encoded(Self.picture(64, 48) { _, _ in true }, .png)
        var picture: StillPixels? = try await StillCoding.pixels(of: still, .png)
        #expect(picture?.memory != nil)
        picture = nil
        _ = try await cropper.crop(still, .png, to: request())
        // Other tests have claims, too.
        while DecodingMemory.shared.load.byteCount > before { await Task.yield() }
    }

    // MARK: Refusals

    @Test func `A still is refused if it is damaged, of another format or size, or without an outline`() async throws {
        let still = try await encoded(Self.picture(64, 48) { _, _ in true }, .jpeg)
        await #expect(throws: CaptureError.self) { try await cropper.crop([], .png, to: request()) }
        await #expect(throws: CaptureError.self) { try await cropper.crop(still, .png, to: request()) }
        await #expect(throws: CaptureError.self) { try await cropper.crop(still, .webp, to: request()) }
        await #expect(throws: CaptureError.self) {
            try await cropper.crop(Array(still.dropLast(200)), .jpeg, to: request())
        }
        let other = StillGeometry(stillWidth: 640, height: 480)
        await #expect(throws: CaptureError.self) {
            try await cropper.crop(still, .jpeg, to: request(), geometry: other)
        }
        var missing = request()
        missing.outline = Outline(name: "none", path: folder.path + "/none.svg")
        await #expect(throws: CaptureError.self) { try await cropper.crop(still, .jpeg, to: missing) }
    }

    @Test(arguments: 0..<4) func `A still with random changes is cropped or refused`(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        for format in [StillFormat.jpeg, .png] {
            let still = try await encoded(Self.picture(64, 48) { x, _ in x > 20 }, format)
            for _ in 0..<12 {
                _ = try? await cropper.crop(still.mutated(&generator), format, to: request())
            }
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}
