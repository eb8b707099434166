// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

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
