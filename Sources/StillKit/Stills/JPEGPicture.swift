// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// A JPEG file as segments (ITU-T T.81, annex B). Its scan data is not changed.
///
/// Frames of cameras can be padded at the end, lack Huffman tables, or be truncated. ``replacingExif(with:)`` repairs
/// the first two; the last is an error.
package struct JPEGPicture {
    private struct Segment {
        let marker: UInt8
        /// Includes the marker and the length.
        let range: Range<Int>
    }

    private let bytes: [UInt8]
    private var segments: [Segment] = []
    /// From the start of the first scan to the end of the image, including its marker (EOI).
    private var scans = 0..<0
    /// The size in pixels. The height is 0 if the file states it only after the first scan (DNL).
    package private(set) var width = 0, height = 0

    /// Parses a file.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the picture is truncated or not a JPEG.
    package init(_ bytes: [UInt8]) throws(CaptureError) {
        self.bytes = bytes
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw .damaged("JPEG") }
        var position = 2
        while let segment = try segment(at: position) {
            segments.append(segment)
            position = segment.range.upperBound
        }
        guard width > 0, let end = Self.endOfImage(bytes, from: position) else { throw .damaged("JPEG") }
        scans = position..<end
    }

    /// Returns the segment that begins at `start`; `nil` at the first scan.
    private mutating func segment(at start: Int) throws(CaptureError) -> Segment? {
        let position = try afterFill(start)
        let marker = bytes[position + 1]
        if marker == 0xDA { return nil }
        let length = number(at: position + 2)
        let end = position + 2 + length
        // TEM, RSTn, SOI and EOI have no length, and are not allowed before a scan.
        guard length >= 2, end <= bytes.count, marker > 0x01, !(0xD0...0xD9).contains(marker) else {
            throw .damaged("JPEG")
        }
        if Self.isFrameHeader(marker), length >= 8 {
            (height, width) = (number(at: position + 5), number(at: position + 7))
        }
        return Segment(marker: marker, range: position..<end)
    }

    /// Returns the position of a marker with its length, after any number of fill bytes.
    private func afterFill(_ start: Int) throws(CaptureError) -> Int {
        var position = start
        guard position + 4 <= bytes.count, bytes[position] == 0xFF else { throw .damaged("JPEG") }
        while position + 4 <= bytes.count, bytes[position + 1] == 0xFF { position += 1 }
        guard position + 4 <= bytes.count else { throw .damaged("JPEG") }
        return position
    }

    private func number(at position: Int) -> Int { Int(bytes[position]) << 8 | Int(bytes[position + 1]) }

    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Returns the end of the image; `nil` if there is none, or another picture begins before it.
    ///
    /// It walks the entropy-coded data, and the segments between scans. After the end, drivers leave old contents of
    /// the buffer.
    private static func endOfImage(_ bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var position = start
            while position + 1 < buffer.count, let hit = memchr(base + position, 0xFF, buffer.count - position - 1) {
                let found = UnsafeRawPointer(hit) - base
                switch buffer[found + 1] {
                case 0xD9: return found + 2
                case 0xD8: return nil
                case 0xFF: position = found + 1
                case 0xC4, 0xDA...0xDD, 0xE0...0xEF, 0xFE:
                    guard found + 4 <= buffer.count else { return nil }
                    position = found + 2 + (Int(buffer[found + 2]) << 8 | Int(buffer[found + 3]))
                default: position = found + 2
                }
            }
            return nil
        }
    }

    /// The maximum length of a block of tags, in bytes: a segment with its length and the header of EXIF has 65,535.
    static let mostExifBytes = 0xFFFF - 8

    /// Returns the picture with one block of EXIF tags, directly after the start of the image as EXIF requires.
    ///
    /// Adds the standard Huffman tables if the picture has none, and drops padding. Other segments and the scans stay
    /// unchanged.
    ///
    /// - Throws: ``CaptureError`` of kind `software` if the tags exceed ``mostExifBytes``.
    package func replacingExif(with exif: [UInt8]) throws(CaptureError) -> [UInt8] {
        let header = Array("Exif".utf8) + [0, 0]
        guard exif.count <= Self.mostExifBytes else {
            throw CaptureError(.software, "the tags of a picture are too long")
        }
        var result: [UInt8] = [0xFF, 0xD8]
        result.reserveCapacity(bytes.count + exif.count + 512)
        result += [0xFF, 0xE1] + UInt16(exif.count + header.count + 2).networkBytes + header + exif
        for segment in segments where !isExif(segment) { result += bytes[segment.range] }
        if !segments.contains(where: { $0.marker == 0xC4 }) { result += HuffmanTables.segment }
        result += bytes[scans]
        return result
    }

    /// Returns the picture without other tags that can state a position: those of XMP. Other bytes stay unchanged, without
    /// padding and further pictures after the end.
    func withoutXMP() -> [UInt8] {
        let name = Array("http://ns.adobe.com/".utf8)
        var result: [UInt8] = [0xFF, 0xD8]
        for segment in segments
        where segment.marker != 0xE1 || !bytes[segment.range].dropFirst(4).starts(with: name) {
            result += bytes[segment.range]
        }
        return result + bytes[scans]
    }

    /// Returns the picture with this density in its JFIF header, which is added if it has none.
    func printed(dotsPerMeter: Int) -> [UInt8] {
        let perInch = UInt16(clamping: Int((Double(dotsPerMeter) * 0.0254).rounded())).networkBytes
        let density: [UInt8] = [1] + perInch + perInch
        let name = Array("JFIF".utf8) + [0]
        if let header = segments.first(where: {
            $0.marker == 0xE0 && $0.range.count >= 18 && bytes[$0.range].dropFirst(4).starts(with: name)
        }) {
            let place = header.range.lowerBound + 11
            return bytes.with(density, inPlaceOf: place..<place + 5)
        }
        // Version 1.02, without a thumbnail.
        let header: [UInt8] = [0xFF, 0xE0, 0, 16] + name + [1, 2] + density + [0, 0]
        return bytes.with(header, inPlaceOf: 2..<2)
    }

    /// Returns a frame of a camera with the standard Huffman tables if it has none, as viewers need them. Other bytes stay
    /// unchanged.
    package static func addingTables(to frame: [UInt8]) -> [UInt8] {
        var place = 2
        // Walks the segments before the first scan (ITU-T T.81, B.1.1.4).
        while place + 4 <= frame.count, frame[place] == 0xFF {
            switch frame[place + 1] {
            case 0xC4: return frame
            case 0xDA: return frame.with(HuffmanTables.segment, inPlaceOf: place..<place)
            case 0xFF: place += 1
            default: place += 2 + (Int(frame[place + 2]) << 8 | Int(frame[place + 3]))
            }
        }
        return frame
    }

    /// The facts on which the loss of a JPEG picture depends.
    struct Coding {
        /// The sum of all steps of quantization.
        var steps = 0
        /// The sampling factors of each component.
        var sampling: [UInt8] = []

        /// Returns `true` for the same sampling, and about the same steps: drivers round differently.
        func isLike(_ other: Coding) -> Bool {
            sampling == other.sampling && abs(steps - other.steps) * 10 <= other.steps
        }
    }

    /// Reads the tables and the header of the frame (ITU-T T.81, B.2.2 and B.2.4.1).
    var coding: Coding {
        var coding = Coding()
        for segment in segments {
            let content = bytes[segment.range].dropFirst(4)
            if segment.marker == 0xDB {
                var tables = content
                while let kind = tables.first {
                    let table = tables.dropFirst().prefix(kind >> 4 == 0 ? 64 : 128)
                    // The high bytes of wide steps are 0 for all common qualities.
                    coding.steps += table.reduce(0) { $0 + Int($1) }
                    tables = tables.dropFirst(1 + table.count)
                }
            } else if Self.isFrameHeader(segment.marker) {
                coding.sampling = stride(from: 7, to: content.count, by: 3).map { content[content.startIndex + $0] }
            }
        }
        return coding
    }

    /// The picture's block of EXIF tags, as a TIFF file; `nil` if it has none.
    var exif: [UInt8]? { segments.first(where: isExif).map { Array(bytes[$0.range].dropFirst(10)) } }

    private func isExif(_ segment: Segment) -> Bool {
        segment.marker == 0xE1 && bytes[segment.range].dropFirst(4).starts(with: Array("Exif".utf8) + [0, 0])
    }
}
