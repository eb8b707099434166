// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import Foundation
import FrameMeasures
import PipelineKit
import StillKit

/// A camera in front of a picture, by default of four fields: red and green above, blue and yellow below.
package struct FourFields: Sendable {
    package static let width = 320, height = 240

    package let folder: TemporaryFolder

    /// The frames that a camera delivers.
    package enum Kind: String, Sendable, CaseIterable {
        case raw, jpeg
    }

    /// - Parameter picture: The frame, as the camera delivers it.
    package init(_ picture: StillPixels = FourFields.frame) async throws {
        folder = try TemporaryFolder()
        let png = try await StillCoding.encode(picture, .png, quality: 95)
        try Data(png).write(to: URL(filePath: folder.path + "/fields.png"))
    }

    /// A source of twenty frames a second.
    package func source(_ kind: Kind) -> String {
        "filesrc location=\(folder.path)/fields.png ! pngdec ! imagefreeze is-live=true ! videoconvert "
            + "! video/x-raw,format=I420,framerate=20/1" + (kind == .jpeg ? " ! jpegenc quality=95" : "")
            + " ! identity"
    }

    /// A source of JPEG frames with an orientation tag.
    package func source(tagged orientation: Orientation) async throws -> String {
        var metadata = StillMetadata(captured: .now(), width: Self.width, height: Self.height)
        metadata.orientation = orientation
        let jpeg = try await StillCoding.encode(Self.frame, .jpeg, quality: 95)
        try Data(metadata.embedded(in: jpeg, .jpeg)).write(to: URL(filePath: folder.path + "/tagged.jpg"))
        return "multifilesrc location=\(folder.path)/tagged.jpg loop=true caps=image/jpeg,framerate=20/1 "
            + "! identity sleep-time=50000"
    }

    /// The colors of the four fields from the top left, row by row, after turning and mirroring.
    package static func fields(_ orientation: Orientation, isMirrored: Bool = false) -> String {
        let small = RGBPicture(width: 2, height: 2) { RGBPicture.Pixel(UInt8($0 + 2 * $1), 0, 0) }
        let turned = small.shown(byExif: orientation.rawValue).mirrored(isMirrored ? .horizontal : .none)
        return String(turned.pixels.map { Array("RGBY")[Int($0[0])] })
    }

    private static let colors: [SIMD4<UInt8>] = [
        SIMD4(220, 20, 20, 255), SIMD4(20, 200, 20, 255), SIMD4(20, 20, 220, 255), SIMD4(220, 220, 20, 255),
    ]

    package static let frame = StillPixels(
        width: width, height: height,
        pixels: (0..<width * height).map { index in
            let (x, y) = (index % width * 2 / width, index / width * 2 / height)
            return colors[x + 2 * y]
        })
}

extension RGBPicture {
    /// The colors a quarter away from the corners, row by row.
    package var fields: String { fields(in: PixelBox(x: 0, y: 0, width: Double(width), height: Double(height))) }

    /// The colors a quarter away from the corners of a box, row by row.
    package func fields(in box: PixelBox) -> String {
        let places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
        return String(
            places.map { x, y in
                let pixel = SIMD3<Int>(
                    truncatingIfNeeded: self[Int(box.x + x * box.width), Int(box.y + y * box.height)])
                let (red, green, blue) = (pixel.x, pixel.y, pixel.z)
                if red > green + 40, red > blue + 40 { return "R" }
                if green > red + 40, green > blue + 40 { return "G" }
                if blue > red + 40, blue > green + 40 { return "B" }
                return red > blue + 40 && green > blue + 40 ? "Y" : "-"
            })
    }

    /// Decodes a still as viewers do, rotated by its tag.
    package static func shown(_ bytes: [UInt8], _ format: StillFormat) async throws -> RGBPicture {
        let orientation = ExifBlock(ofFile: bytes, format)?.orientation ?? .upright
        return try await RGBPicture(decoding: bytes, format).shown(byExif: orientation.rawValue)
    }
}
