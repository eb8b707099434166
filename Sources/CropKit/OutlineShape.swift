// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import OverlayCompositor

/// The closed shape of an outline that a crop keeps (``DrawingStyle/Area/crop``), as it lies on the preview.
package struct OutlineShape: Sendable {
    /// The extent of the shape on the preview, to fractions of a pixel.
    package let box: PixelBox
    private let mask: RasterImage
    private let scale: Double

    /// - Parameter scale: The number of mask pixels per preview pixel.
    /// - Returns: `nil` if the shape covers fewer than two columns or rows of the mask.
    init?(_ mask: RasterImage, scale: Double) {
        guard let extent = mask.extent else { return nil }
        self.mask = mask
        self.scale = scale
        box = PixelBox(
            x: extent.x / scale, y: extent.y / scale, width: extent.width / scale, height: extent.height / scale)
    }

    /// Draws the shape at the resolution of the still, or with at most 4,096 pixels on a side.
    ///
    /// - Throws: ``CaptureError`` if the outline cannot be read or drawn, or has no shape on the preview.
    package init(
        of outline: Outline, _ placement: Placement, on geometry: StillGeometry, by planner: OverlayPlanner
    ) async throws(CaptureError) {
        let scale = Self.scale(for: geometry)
        let frame = (geometry.previewWidth, geometry.previewHeight)
        let mask: RasterImage
        do throws(OverlayError) {
            mask = try await planner.shape(of: outline, placement, onFrame: frame, scale: scale)
        } catch {
            throw CaptureError(error)
        }
        // Not on the caller's actor, as it reads each pixel of the mask.
        let shape = await BlockingWork.run { OutlineShape(mask, scale: scale) }
        guard let shape else {
            throw CaptureError(
                .configuration, "has no shape on a preview of \(frame.0)x\(frame.1)", subject: outline.path,
                advice: "give its closed shape the id \"subject\"")
        }
        self = shape
    }

    /// The longest side of a frame on which a shape is drawn, in pixels. A finer shape would take more memory than its
    /// picture, and no edge of an outline shows the difference.
    private static let mostSide = 4_096.0

    /// The most memory that a shape takes on a picture of this many pixels, in bytes.
    static func mostBytes(onPictureOf pixels: Int) -> Int { min(pixels, Int(mostSide * mostSide)) * 4 }

    /// Returns the number of mask pixels per preview pixel at which the mask is as fine as the still.
    private static func scale(for geometry: StillGeometry) -> Double {
        let still = Double(max(geometry.width, geometry.height))
        let wanted = still / max(geometry.picture.width, geometry.picture.height)
        return max(0.01, min(wanted, mostSide / Double(max(geometry.previewWidth, geometry.previewHeight))))
    }

    /// Returns the coverage by the shape at a place of the preview, 0...1.
    func coverage(at place: PixelPoint) -> Float {
        let (x, y) = (place.x * scale - 0.5 - Double(mask.x), place.y * scale - 0.5 - Double(mask.y))
        guard x > -1, y > -1, x < Double(mask.width), y < Double(mask.height) else { return 0 }
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (right, down) = (Float(x - Double(left)), Float(y - Double(top)))
        let upper = alpha(left, top) * (1 - right) + alpha(left + 1, top) * right
        let lower = alpha(left, top + 1) * (1 - right) + alpha(left + 1, top + 1) * right
        // Interpolation makes edges twice as wide as they were drawn: narrow them again.
        return min(max(0, (upper * (1 - down) + lower * down) * 2 - 0.5), 1)
    }

    private func alpha(_ x: Int, _ y: Int) -> Float {
        guard x >= 0, y >= 0, x < mask.width, y < mask.height else { return 0 }
        return Float(mask.pixels[y * mask.width + x] >> 24) / 255
    }
}

extension RasterImage {
    /// The extent of the covered pixels. A border pixel that is half covered counts as half a pixel.
    fileprivate var extent: PixelBox? {
        var (columns, rows) = ([UInt32](repeating: 0, count: width), [UInt32](repeating: 0, count: height))
        for row in 0..<height {
            for column in 0..<width {
                let alpha = pixels[row * width + column] >> 24
                columns[column] = max(columns[column], alpha)
                rows[row] = max(rows[row], alpha)
            }
        }
        guard let across = Self.extent(columns), let down = Self.extent(rows) else { return nil }
        return PixelBox(
            x: Double(x) + across.lowerBound, y: Double(y) + down.lowerBound,
            width: across.upperBound - across.lowerBound, height: down.upperBound - down.lowerBound)
    }

    private static func extent(_ alphas: [UInt32]) -> Range<Double>? {
        guard let first = alphas.firstIndex(where: { $0 > 0 }), let last = alphas.lastIndex(where: { $0 > 0 }),
            first < last
        else { return nil }
        return Double(first + 1) - Double(alphas[first]) / 255..<Double(last) + Double(alphas[last]) / 255
    }
}
