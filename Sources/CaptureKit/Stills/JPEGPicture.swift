// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A JPEG file as segments (ITU-T T.81, annex B), with its scan data untouched.
///
/// Cameras' frames are odd at times: padded at the end, without Huffman tables, cut off. The first two are mended, the
/// last is an error.
struct JPEGPicture {
    private struct Segment {
        let marker: UInt8
        /// With marker and length.
        let range: Range<Int>
    }

    private let bytes: [UInt8]
    private var segments: [Segment] = []
    /// From the start of the first scan to behind the end of the image.
    private var scans = 0..<0
    /// Pixels in a row and rows.
    private(set) var width = 0, height = 0

    init(_ bytes: [UInt8]) throws(CaptureError) {
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

    /// The segment that begins here; `nil` at the first scan.
    private mutating func segment(at start: Int) throws(CaptureError) -> Segment? {
        var position = start
        guard position + 4 <= bytes.count, bytes[position] == 0xFF else { throw .damaged("JPEG") }
        // Any number of fill bytes may come before a marker.
        while position + 4 <= bytes.count, bytes[position + 1] == 0xFF { position += 1 }
        guard position + 4 <= bytes.count else { throw .damaged("JPEG") }
        let marker = bytes[position + 1]
        if marker == 0xDA { return nil }
        let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
        let end = position + 2 + length
        guard length >= 2, end <= bytes.count, marker > 0x01, !(0xD0...0xD9).contains(marker) else {
            throw .damaged("JPEG")
        }
        if Self.isFrameHeader(marker), length >= 8 {
            height = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
            width = Int(bytes[position + 7]) << 8 | Int(bytes[position + 8])
        }
        return Segment(marker: marker, range: position..<end)
    }

    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Walks the entropy-coded data, and the segments between scans; behind the end drivers leave whatever was in the
    /// buffer. `nil` where there is no end, or another picture begins before it.
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

    /// The picture with one block of EXIF tags, right behind the start of the image as EXIF demands; all else stays.
    func replacingExif(with exif: [UInt8]) throws(CaptureError) -> [UInt8] {
        let header = Array("Exif".utf8) + [0, 0]
        guard exif.count + header.count + 2 <= 0xFFFF else {
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

    private func isExif(_ segment: Segment) -> Bool {
        segment.marker == 0xE1 && bytes[segment.range].dropFirst(4).starts(with: Array("Exif".utf8) + [0, 0])
    }
}

/// The tables of annex K.3, which MJPEG cameras leave out as everybody knows them.
private enum HuffmanTables {
    static let segment: [UInt8] = [0xFF, 0xC4] + UInt16(tables.count + 2).networkBytes + tables

    private static let tables: [UInt8] =
        [0x00] + [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0] + dcSymbols
        + [0x10] + [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D] + lumaSymbols
        + [0x01] + [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0] + dcSymbols
        + [0x11] + [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77] + chromaSymbols

    private static let dcSymbols: [UInt8] = Array(0...11)

    private static let lumaSymbols: [UInt8] = [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
        0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
        0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37,
        0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
        0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83,
        0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3,
        0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3,
        0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2,
        0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
    ]

    private static let chromaSymbols: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
        0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1,
        0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x35, 0x36,
        0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
        0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A,
        0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A,
        0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA,
        0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA,
        0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
    ]
}
