// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The beginning of a JPEG or PNG file of any origin: its size in pixels and its EXIF tags. It needs no other byte of the
/// file, and does not say whether the rest is a picture.
package struct PictureHead: Sendable {
    /// The format, by the first bytes: names can be wrong.
    package let format: StillFormat
    /// The size in pixels as stored; 0 if the beginning does not have it.
    package private(set) var width = 0, height = 0
    /// The EXIF tags; `nil` if the beginning has none that can be read.
    package private(set) var exif: ExifBlock?

    /// `true` if the tags and the size do not change with more bytes.
    package private(set) var isComplete = false

    /// The number of bytes that are enough for most files, and for nearly all: a segment of tags has up to 64 KiB.
    package static let firstBytes = 1 << 12, mostBytes = 1 << 17

    /// Reads the beginning of a file; `nil` if it is neither JPEG nor PNG.
    package init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            format = .jpeg
            readSegments(bytes)
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            format = .png
            readChunks(bytes)
        } else {
            return nil
        }
    }

    /// The size in pixels as viewers show the picture.
    package var shownSize: (width: Int, height: Int) {
        (exif?.orientation ?? .upright).swapsAxes ? (height, width) : (width, height)
    }

    /// Reads the segments before the first scan (ITU-T T.81, B.1.1.4).
    private mutating func readSegments(_ bytes: [UInt8]) {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            if marker == 0xFF {
                place += 1
                continue
            }
            let end = place + 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
            guard marker != 0xDA, end >= place + 4 else {
                isComplete = true
                return
            }
            readSegment(marker, bytes, place + 4..<max(place + 4, min(bytes.count, end)), isWhole: end <= bytes.count)
            // Tags come before the size.
            if width > 0 { isComplete = true }
            place = end
        }
    }

    private mutating func readSegment(_ marker: UInt8, _ bytes: [UInt8], _ range: Range<Int>, isWhole: Bool) {
        let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
        if isFrame, range.count >= 5 {
            let start = range.lowerBound + 1
            height = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            width = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
        } else if marker == 0xE1, isWhole, exif == nil, bytes[range].starts(with: Array("Exif\0\0".utf8)) {
            exif = ExifBlock(Array(bytes[range].dropFirst(6)))
        }
    }

    /// Reads the chunks that the beginning has whole (PNG, 5.3).
    private mutating func readChunks(_ bytes: [UInt8]) {
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var place = 8
        while place + 12 <= bytes.count {
            let (length, name) = (number(place), Array(bytes[place + 4..<place + 8]))
            if name == Array("IDAT".utf8) { isComplete = true }
            guard length < 1 << 31, place + 12 + length <= bytes.count else { return }
            let content = place + 8..<place + 8 + length
            if name == Array("IHDR".utf8), length >= 8 {
                (width, height) = (number(content.lowerBound), number(content.lowerBound + 4))
            } else if name == Array("eXIf".utf8) {
                exif = ExifBlock(Array(bytes[content]))
            }
            place = content.upperBound + 4
        }
    }
}
