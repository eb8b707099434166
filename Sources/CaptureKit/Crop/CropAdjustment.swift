// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a picture is moved under an outline before it is cropped: what gestures do on a screen, in numbers.
public struct CropAdjustment: Sendable, Hashable {
    /// To the right, in widths of the outline.
    public var moveX: Double
    /// Down, in heights of the outline.
    public var moveY: Double
    /// Larger or smaller, around the middle of the outline: 2 shows half as much of the picture in each direction.
    public var zoom: Double
    /// Clockwise around the middle of the outline, in degrees.
    public var turn: Double

    /// Nothing moved, or as said.
    public init(moveX: Double = 0, moveY: Double = 0, zoom: Double = 1, turn: Double = 0) {
        self.moveX = moveX
        self.moveY = moveY
        self.zoom = zoom
        self.turn = turn
    }

    /// How far a zoom may go, both ways.
    public static let zooms = 0.05...20.0
}

extension CropAdjustment {
    /// True where the picture stays where it is.
    var isIdentity: Bool { self == CropAdjustment() }

    /// Looks whether a picture can be moved so.
    ///
    /// - Throws: ``CaptureError`` `.usage` with what is out of range.
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

    /// From what lies under the outline now to where it was in the picture.
    ///
    /// - Parameter box: The outline's, on the picture.
    func toPicture(under box: PixelBox) -> Homography {
        let centre = box.centre
        return Homography.moving(centre.x, centre.y) * .scaling(1 / zoom, 1 / zoom) * .turning(degrees: -turn)
            * .moving(-centre.x - moveX * box.width, -centre.y - moveY * box.height)
    }
}
