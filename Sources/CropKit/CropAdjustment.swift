// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures

/// How the user moves, zooms and turns a picture under an outline before cropping.
public struct CropAdjustment: Sendable, Hashable {
    /// The move to the right, in widths of the outline.
    public var moveX: Double
    /// The move downward, in heights of the outline.
    public var moveY: Double
    /// The zoom around the center of the outline: at 2, the crop shows half as much of the picture in each direction. A
    /// smaller zoom makes a crop of more pixels, up to as many as the picture has, and 16,384 on a side.
    public var zoom: Double
    /// The turn around the center of the outline, clockwise, in degrees.
    public var turn: Double

    /// Creates an adjustment; without arguments, one that changes nothing.
    public init(moveX: Double = 0, moveY: Double = 0, zoom: Double = 1, turn: Double = 0) {
        self.moveX = moveX
        self.moveY = moveY
        self.zoom = zoom
        self.turn = turn
    }

    /// The range of ``zoom``.
    public static let zooms = 0.05...20.0
}

extension CropAdjustment {
    /// `true` if the picture stays in place.
    var isIdentity: Bool { self == CropAdjustment() }

    /// Checks that the adjustment is within range.
    ///
    /// - Throws: `CaptureError` `.usage` that names the value out of range.
    public func check() throws(CaptureError) {
        guard [moveX, moveY, turn].allSatisfy({ $0.magnitude <= 1e6 }) else {
            throw CaptureError(.usage, "a picture cannot be moved or turned that far", subject: "crop")
        }
        guard Self.zooms.contains(zoom) else {
            throw CaptureError(
                .usage, "a zoom of \(zoom) is out of range", subject: "crop",
                advice: "give one between \(Self.zooms.lowerBound) and \(Self.zooms.upperBound)")
        }
    }

    /// Returns the map from the adjusted picture under the outline to the original picture.
    ///
    /// - Parameter box: The outline's box on the picture.
    func toPicture(under box: PixelBox) -> Homography {
        let center = box.center
        return Homography.moving(center.x, center.y) * .scaling(1 / zoom, 1 / zoom) * .turning(degrees: -turn)
            * .moving(-center.x - moveX * box.width, -center.y - moveY * box.height)
    }
}
