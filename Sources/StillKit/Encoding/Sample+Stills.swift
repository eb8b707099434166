// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

extension Sample {
    /// Checks that the frame is not cut off. Elements would make a picture of the remaining bytes, and of memory beyond
    /// them.
    ///
    /// - Throws: ``CaptureError`` if it is cut off. Frames that are neither raw video nor JPEG are not checked.
    package func checkWhole() throws(CaptureError) {
        guard let caps else { return }
        if let info = caps.videoInfo {
            guard let buffer, (try? buffer.withVideoFrame(info) { _ in }) != nil else { throw .damaged(info.format) }
        } else if caps.structures.first?.name == "image/jpeg" {
            guard let bytes = try? buffer?.bytes() else { throw .damaged("JPEG") }
            _ = try JPEGPicture(bytes)
        }
    }
}

extension Sample {
    /// The orientation that a JPEG frame of the camera states in its EXIF tags; upright for all other frames.
    package var ownOrientation: Orientation {
        guard let buffer, caps?.structures.first?.name == "image/jpeg" else { return .upright }
        return (try? buffer.withBytes { $0.withUnsafeBytes(Self.orientation) }) ?? .upright
    }

    /// Reads the segments before the first scan (ITU-T T.81, B.1.1.4), and no pixels.
    private static func orientation(ofJPEG bytes: UnsafeRawBufferPointer) -> Orientation {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF, bytes[place + 1] != 0xDA {
            if bytes[place + 1] == 0xFF {
                place += 1
                continue
            }
            let content = place + 4
            let end = place + 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
            guard content <= end, end <= bytes.count else { return .upright }
            if bytes[place + 1] == 0xE1, bytes[content..<end].starts(with: Array("Exif".utf8) + [0, 0]) {
                return ExifBlock(Array(bytes[content + 6..<end]))?.orientation ?? .upright
            }
            place = end
        }
        return .upright
    }
}
