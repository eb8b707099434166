// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import PipelineKit
import StillKit
import Testing

@testable import CropKit

@Suite struct `The geometry of a still and its preview` {
    /// A frame and its preview: all values that determine positions.
    struct Case: Sendable, CustomTestStringConvertible {
        var frame = (width: 640, height: 480)
        var pixel = (width: 1, height: 1)
        var preview = (width: 640, height: 480)
        var hasBorders = false
        var chroma = (columns: 1, rows: 1)

        var testDescription: String {
            "\(frame), pixels \(pixel), on \(preview)\(hasBorders ? " with borders" : ""), chroma \(chroma)"
        }

        func geometry(_ orientation: Orientation, isMirrored: Bool) -> StillGeometry {
            var shape = FrameShape(width: frame.width, height: frame.height)
            shape.pixelAspectRatio = Fraction(Int32(pixel.width), Int32(pixel.height))
            (shape.chromaColumns, shape.chromaRows) = (chroma.columns, chroma.rows)
            return StillGeometry(
                frame: shape, preview: PreviewSize(width: preview.width, height: preview.height),
                hasBorders: hasBorders, isMirrored: isMirrored, orientation: orientation)
        }
    }

    static let cases = [
        Case(), Case(frame: (1920, 1080), preview: (1280, 720)), Case(frame: (4608, 2592), preview: (1280, 720)),
        Case(frame: (1280, 960), preview: (960, 720)), Case(frame: (720, 576), pixel: (16, 15), preview: (768, 576)),
        Case(frame: (1920, 1080), preview: (800, 800), hasBorders: true),
        Case(frame: (640, 480), preview: (399, 225), hasBorders: true, chroma: (2, 2)),
        Case(frame: (640, 480), preview: (300, 235), hasBorders: true, chroma: (2, 2)),
        Case(frame: (640, 480), preview: (300, 235), hasBorders: true, chroma: (2, 1)),
        Case(frame: (1440, 1080), pixel: (4, 3), preview: (1000, 1000), hasBorders: true),
    ]

    /// The place of the preview that shows a pixel of the frame, computed step by step: scaled, turned, mirrored.
    private func previewPlace(
        of x: Double, _ y: Double, _ scene: Case, _ orientation: Orientation, isMirrored: Bool
    ) -> PixelPoint {
        let (wide, high) = (scene.frame.width * scene.pixel.width, scene.frame.height * scene.pixel.height)
        let preview = scene.preview
        let scaled = orientation.swapsAxes ? (width: preview.height, height: preview.width) : preview
        var (left, top, width, height) = (0, 0, scaled.width, scaled.height)
        if scene.hasBorders {
            if width * high / wide <= height { height = width * high / wide } else { width = height * wide / high }
            left = (scaled.width - width) / 2 / scene.chroma.columns * scene.chroma.columns
            top = (scaled.height - height) / 2 / scene.chroma.rows * scene.chroma.rows
        }
        let across = Double(left) + x / Double(scene.frame.width) * Double(width)
        let down = Double(top) + y / Double(scene.frame.height) * Double(height)
        let (right, bottom) = (Double(scaled.width) - across, Double(scaled.height) - down)
        // EXIF 2.32, 4.6.4: the sides of the picture that show the stored first row and first column.
        let (column, row) =
            switch orientation.rawValue {
            case 2: (right, down)  // top, right
            case 3: (right, bottom)  // bottom, right
            case 4: (across, bottom)  // bottom, left
            case 5: (down, across)  // left, top
            case 6: (bottom, across)  // right, top
            case 7: (bottom, right)  // right, bottom
            case 8: (down, right)  // left, bottom
            default: (across, down)  // top, left
            }
        return PixelPoint(isMirrored ? Double(preview.width) - column : column, row)
    }

    @Test(arguments: cases, Orientation.allCases)
    func `The geometry maps each pixel as scaling, borders, turning and mirroring do`(
        scene: Case, orientation: Orientation
    ) throws {
        // EXIF's definition, applied to a picture whose pixels hold their own position.
        let small = RGBPicture(width: 8, height: 5) { [UInt8($0), UInt8($1), 0] }.shown(byExif: orientation.rawValue)
        for isMirrored in [false, true] {
            let geometry = scene.geometry(orientation, isMirrored: isMirrored)
            for row in 0..<small.height {
                for column in 0..<small.width {
                    let stored = small[column, row]
                    let (x, y) = ((Double(stored[0]) + 0.5) / 8, (Double(stored[1]) + 0.5) / 5)
                    let seen = previewPlace(
                        of: x * Double(scene.frame.width), y * Double(scene.frame.height), scene, orientation,
                        isMirrored: isMirrored)
                    let still = PixelPoint(
                        (Double(column) + 0.5) / Double(small.width) * Double(geometry.width),
                        (Double(row) + 0.5) / Double(small.height) * Double(geometry.height))
                    #expect(geometry.toStill(seen).distance(to: still) < 1e-8)
                    #expect(geometry.toPreview(still).distance(to: seen) < 1e-8)
                }
            }
        }
    }

    @Test(arguments: cases, Orientation.allCases)
    func `The geometry covers the whole still, and maps boxes to the still and back`(
        scene: Case, orientation: Orientation
    ) {
        for isMirrored in [false, true] {
            let geometry = scene.geometry(orientation, isMirrored: isMirrored)
            let still = geometry.stillBox(geometry.picture)
            #expect(PixelPoint(still.x, still.y).distance(to: PixelPoint(0, 0)) < 1e-8)
            #expect((still.width - Double(geometry.width)).magnitude < 1e-8)
            #expect((still.height - Double(geometry.height)).magnitude < 1e-8)
            let box = PixelBox(x: 100.25, y: 50.5, width: 123.75, height: 77)
            let back = geometry.previewBox(geometry.stillBox(box))
            #expect(PixelPoint(back.x, back.y).distance(to: PixelPoint(box.x, box.y)) < 1e-8)
            #expect((back.width - box.width).magnitude < 1e-8 && (back.height - box.height).magnitude < 1e-8)
        }
    }

    @Test(
        arguments: ["I420", "YUY2", "NV12", "Y42B", "Y444", "RGB", "GRAY8"],
        [(399, 225), (398, 226), (300, 235), (1000, 201)])
    func `The geometry has the borders of GStreamer's scaler`(format: String, size: (Int, Int)) async throws {
        let caps = "video/x-raw,format=\(format)"
        let frame = try await Sample.made(
            by: "videotestsrc num-buffers=1 pattern=white ! \(caps),width=640,height=480 "
                + "! videoscale add-borders=true ! \(caps),width=\(size.0),height=\(size.1),pixel-aspect-ratio=1/1 "
                + "! videoconvert ! video/x-raw,format=RGB")
        let shown = try RGBPicture(frame)
        let info = try VideoInfo(format: format, width: 640, height: 480)
        let geometry = StillGeometry(
            frame: FrameShape(info), preview: PreviewSize(width: size.0, height: size.1), hasBorders: true,
            isMirrored: false, orientation: .upright)
        let field = geometry.picture
        let row = (0..<shown.width).filter { shown[$0, shown.height / 2][1] > 128 }
        let column = (0..<shown.height).filter { shown[shown.width / 2, $0][1] > 128 }
        #expect(Double(try #require(row.first)) == field.x && Double(row.count) == field.width)
        #expect(Double(try #require(column.first)) == field.y && Double(column.count) == field.height)
    }
}
