// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import StillKit
import Testing

/// A JPEG file in segments: slow, but simple enough to be trusted.
package struct JPEGFile {
    /// Markers with their content, up to the first scan.
    package var segments: [(marker: UInt8, content: [UInt8])] = []
    /// From the first scan's marker to the end of the file.
    package var scan: [UInt8] = []

    /// Tags for the pictures of these tests.
    package static let metadata = StillMetadata(
        captured: WallTime(seconds: 1_700_000_000, nanoseconds: 0, utcOffset: 0), width: 48, height: 32)

    package init(_ bytes: [UInt8]) throws {
        try #require(bytes.starts(with: [0xFF, 0xD8]))
        var rest = bytes.dropFirst(2)
        while rest.dropFirst().first != 0xDA {
            let head = Array(rest.prefix(4))
            try #require(head.count == 4 && head[0] == 0xFF)
            let length = Int(head[2]) * 256 + Int(head[3])
            try #require(length >= 2 && rest.count > length + 2)
            segments.append((head[1], Array(rest.dropFirst(4).prefix(length - 2))))
            rest = rest.dropFirst(length + 2)
        }
        scan = Array(rest)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        for (marker, content) in segments {
            bytes += [0xFF, marker, UInt8((content.count + 2) / 256), UInt8((content.count + 2) % 256)]
            bytes += content
        }
        return bytes + scan
    }

    /// The offsets of the segments' markers in the file.
    package var places: [Int] {
        segments.indices.map { index in segments[..<index].reduce(2) { $0 + $1.content.count + 4 } }
    }

    package var hasHuffmanTables: Bool { segments.contains { $0.marker == 0xC4 } }

    /// The number of EXIF blocks.
    package var exifCount: Int { segments.count { Self.isExif($0.marker, $0.content) } }

    private static func isExif(_ marker: UInt8, _ content: [UInt8]) -> Bool {
        marker == 0xE1 && content.starts(with: Array("Exif\0\0".utf8))
    }

    /// The file without EXIF blocks, as the camera sent it.
    package func withoutExif() -> JPEGFile {
        var file = self
        file.segments.removeAll { Self.isExif($0.marker, $0.content) }
        return file
    }

    /// The file without Huffman tables, as MJPEG cameras send it.
    package func withoutHuffmanTables() -> JPEGFile {
        var file = self
        file.segments.removeAll { $0.marker == 0xC4 }
        return file
    }

    /// A frame of the test source, with noise, so that the scan contains stuffed bytes.
    package static func made() async throws -> JPEGFile {
        let frame = try await Sample.made(
            by:
                "videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=I420,width=48,height=32 ! jpegenc quality=95"
        )
        return try JPEGFile(#require(frame.buffer).bytes())
    }
}
