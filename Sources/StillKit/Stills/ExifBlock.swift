// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The EXIF tags of a file. Edits keep all unknown tags as they are (TIFF 6.0, EXIF 2.32).
package struct ExifBlock: Sendable {
    /// The tags as a TIFF file.
    package private(set) var bytes: [UInt8]
    private let isBigEndian: Bool

    /// A tag's type, its count, and the offset of its value.
    private struct Entry {
        let type: Int, count: Int
        let value: Int
    }

    /// Returns `nil` if the bytes do not begin with a TIFF header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        switch Array(bytes[..<4]) {
        case [0x49, 0x49, 42, 0]: isBigEndian = false
        case [0x4D, 0x4D, 0, 42]: isBigEndian = true
        default: return nil
        }
        self.bytes = bytes
    }

    /// Reads the tags of a JPEG or PNG file; `nil` if it has none that can be read, and for other formats.
    package init?(ofFile file: [UInt8], _ format: StillFormat) {
        let tags =
            switch format {
            case .jpeg: try? JPEGPicture(file).exif
            case .png: PNGChunks(file).first("eXIf")
            case .webp, .raw: [UInt8]?.none
            }
        guard let tags, let block = ExifBlock(tags) else { return nil }
        self = block
    }

    /// The orientation of the picture; upright if the tag is missing or invalid.
    package var orientation: Orientation {
        guard let entry = entry(0x0112, in: image), let value = number(of: entry) else { return .upright }
        return Orientation(rawValue: value) ?? .upright
    }

    /// Updates the tags for a crop: upright orientation and the new size. Removes the thumbnail, because it still shows
    /// the parts that were cut off; only the data of a JPEG thumbnail is zeroed.
    package mutating func describe(width: Int, height: Int) {
        wipeThumbnail()
        if let entry = entry(0x0112, in: image) { set(entry, to: 1) }
        guard let pointer = entry(0x8769, in: image), let exif = number(of: pointer) else { return }
        if let entry = entry(0xA002, in: exif) { set(entry, to: width) }
        if let entry = entry(0xA003, in: exif) { set(entry, to: height) }
    }

    /// Updates the resolution, if the tags have one: a file that is printed at its size needs it.
    ///
    /// - Parameter dotsPerMeter: The pixels of a meter in print.
    package mutating func describe(dotsPerMeter: Int) {
        for tag in [0x011A, 0x011B] {
            guard let entry = entry(tag, in: image), entry.type == 5, entry.count == 1,
                let place = integer(at: entry.value, 4)
            else { continue }
            // A meter is 39.37 inches.
            write(dotsPerMeter * 254, at: place, 4)
            write(10_000, at: place + 4, 4)
        }
        if let unit = entry(0x0128, in: image) { set(unit, to: 2) }
    }

    /// `true` if the tags have the position of the camera.
    package var hasLocation: Bool { locationEntries.map { $0.count > 0 } ?? false }

    /// Removes the position: its directory becomes empty, and its values zero.
    package mutating func removeLocation() {
        guard let (directory, count) = locationEntries else { return }
        for index in 0..<count {
            let place = directory + 2 + index * 12
            guard let type = integer(at: place + 2, 2), let number = integer(at: place + 4, 4) else { break }
            let size = number * ([1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8] + [0])[min(type, 13)]
            if size > 4, let value = integer(at: place + 8, 4) { wipe(value, size) }
            wipe(place, 12)
        }
        write(0, at: directory, 2)
    }

    /// The directory of the position, and the number of its entries.
    private var locationEntries: (directory: Int, count: Int)? {
        guard let pointer = entry(0x8825, in: image), let directory = number(of: pointer),
            let count = integer(at: directory, 2)
        else { return nil }
        return (directory, count)
    }

    private mutating func wipe(_ start: Int, _ count: Int) {
        guard start >= 8, start < bytes.count else { return }
        for index in start..<min(bytes.count, start + count) { bytes[index] = 0 }
    }

    /// Returns `true` if a file of this format has room for the tags: those of a PNG can be too long for JPEG.
    package func fits(_ format: StillFormat) -> Bool { format != .jpeg || bytes.count <= JPEGPicture.mostExifBytes }

    private var image: Int? { integer(at: 4, 4) }

    private mutating func wipeThumbnail() {
        guard let image, let count = integer(at: image, 2) else { return }
        let link = image + 2 + count * 12
        guard let second = integer(at: link, 4), second != 0 else { return }
        let (start, length) = (entry(0x0201, in: second), entry(0x0202, in: second))
        if let place = start.flatMap(number), let length = length.flatMap(number), (8...bytes.count).contains(place) {
            for index in place..<min(bytes.count, place + length) { bytes[index] = 0 }
        }
        write(0, at: link, 4)
    }

    private func entry(_ tag: Int, in directory: Int?) -> Entry? {
        guard let directory, let count = integer(at: directory, 2) else { return nil }
        for index in 0..<count {
            let place = directory + 2 + index * 12
            guard let found = integer(at: place, 2), let type = integer(at: place + 2, 2),
                let count = integer(at: place + 4, 4), place + 12 <= bytes.count
            else { return nil }
            if found == tag { return Entry(type: type, count: count, value: place + 8) }
        }
        return nil
    }

    /// Returns the value of a single SHORT or LONG.
    private func number(of entry: Entry) -> Int? {
        switch (entry.type, entry.count) {
        case (3, 1): integer(at: entry.value, 2)
        case (4, 1): integer(at: entry.value, 4)
        default: nil
        }
    }

    private mutating func set(_ entry: Entry, to value: Int) {
        switch (entry.type, entry.count) {
        case (3, 1): write(Int(UInt16(clamping: value)), at: entry.value, 2)
        case (4, 1): write(Int(UInt32(clamping: value)), at: entry.value, 4)
        default: break
        }
    }

    private func integer(at place: Int, _ length: Int) -> Int? {
        guard place >= 0, place + length <= bytes.count else { return nil }
        var number = 0
        for index in 0..<length {
            number = number << 8 | Int(bytes[place + (isBigEndian ? index : length - 1 - index)])
        }
        return number
    }

    private mutating func write(_ value: Int, at place: Int, _ length: Int) {
        guard place >= 0, place + length <= bytes.count else { return }
        for index in 0..<length {
            bytes[place + (isBigEndian ? length - 1 - index : index)] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }
}

// MARK: - Values

extension ExifBlock {
    /// The value of a tag.
    package enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int)
        case number(Double)
    }

    /// The values of the tags that describe how a picture was captured, by their names in EXIF. Damaged ones are left
    /// out.
    package var values: [(name: String, value: Value)] {
        let exif = entry(0x8769, in: image).flatMap(number)
        return Self.imageTags.compactMap { tag, name in value(tag, in: image).map { (name, $0) } }
            + Self.exifTags.compactMap { tag, name in value(tag, in: exif).map { (name, $0) } }
    }

    private static let imageTags = [
        (0x010F, "Make"), (0x0110, "Model"), (0x0112, "Orientation"), (0x0131, "Software"), (0x0132, "DateTime"),
    ]
    private static let exifTags = [
        (0x829A, "ExposureTime"), (0x829D, "FNumber"), (0x8827, "PhotographicSensitivity"),
        (0x9003, "DateTimeOriginal"), (0x9011, "OffsetTimeOriginal"), (0x9291, "SubSecTimeOriginal"),
        (0x9209, "Flash"), (0x920A, "FocalLength"), (0xA002, "PixelXDimension"), (0xA003, "PixelYDimension"),
    ]
    private static let mostTextBytes = 1024

    /// When the picture was captured: DateTimeOriginal with its fraction and its zone, or DateTime. Without a zone, the
    /// time is one of this machine's zone. `nil` if there is none, or if it is not a date.
    package var taken: WallTime? {
        let exif = entry(0x8769, in: image).flatMap(number)
        func text(_ tag: Int, in directory: Int?) -> String? { entry(tag, in: directory).flatMap(self.text) }
        guard let date = text(0x9003, in: exif) ?? text(0x0132, in: image) else { return nil }
        return ExifTime(date: date, fraction: text(0x9291, in: exif), zone: text(0x9011, in: exif))?.time
    }

    private func value(_ tag: Int, in directory: Int?) -> Value? {
        guard let entry = entry(tag, in: directory) else { return nil }
        switch entry.type {
        case 2: return text(of: entry).map(Value.text)
        case 5:
            guard entry.count == 1, let place = integer(at: entry.value, 4), let above = integer(at: place, 4),
                let below = integer(at: place + 4, 4), below > 0
            else { return nil }
            return .number(Double(above) / Double(below))
        default: return number(of: entry).map(Value.integer)
        }
    }

    private func text(of entry: Entry) -> String? {
        guard (1...Self.mostTextBytes).contains(entry.count),
            let place = entry.count <= 4 ? entry.value : integer(at: entry.value, 4),
            place + entry.count <= bytes.count
        else { return nil }
        let text = bytes[place..<place + entry.count].prefix { $0 != 0 }
        return text.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: text, as: UTF8.self) : nil
    }
}
