// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A directory of tags (IFD). Tags are written in the order in which they are added, which must be ascending.
struct ExifDirectory {
    private struct Entry {
        let tag: UInt16, type: UInt16, count: UInt32
        let value: [UInt8]
    }

    private var entries: [Entry] = []

    mutating func add(_ tag: UInt16, text: String?) {
        // Names come from devices. An ASCII tag cannot hold characters that are not printable ASCII.
        let bytes = (text ?? "").utf8.filter { (0x20...0x7E).contains($0) }.prefix(255)
        guard !bytes.isEmpty else { return }
        entries.append(Entry(tag: tag, type: 2, count: UInt32(bytes.count + 1), value: bytes + [0]))
    }

    mutating func add(_ tag: UInt16, short: Int) {
        entries.append(Entry(tag: tag, type: 3, count: 1, value: UInt16(clamping: short).bytes + [0, 0]))
    }

    mutating func add(_ tag: UInt16, long: Int) {
        entries.append(Entry(tag: tag, type: 4, count: 1, value: UInt32(clamping: long).bytes))
    }

    mutating func add(_ tag: UInt16, numerator: UInt32, denominator: UInt32) {
        entries.append(Entry(tag: tag, type: 5, count: 1, value: numerator.bytes + denominator.bytes))
    }

    mutating func add(_ tag: UInt16, undefined bytes: [UInt8]) {
        entries.append(Entry(tag: tag, type: 7, count: UInt32(bytes.count), value: bytes))
    }

    /// Returns a TIFF file: the header, the image's directory with a pointer to the EXIF directory, and that directory.
    static func tiff(image: ExifDirectory, exif: ExifDirectory) -> [UInt8] {
        let header: [UInt8] = Array("II".utf8) + UInt16(42).bytes + UInt32(8).bytes
        var image = image
        image.add(0x8769, long: 0)
        let exifOffset = header.count + image.serialized(at: header.count).count
        image.entries.removeLast()
        image.add(0x8769, long: exifOffset)
        return header + image.serialized(at: header.count) + exif.serialized(at: exifOffset)
    }

    /// Returns the entries, followed by the values that do not fit into them.
    private func serialized(at offset: Int) -> [UInt8] {
        var table = UInt16(entries.count).bytes
        var heap: [UInt8] = []
        let heapOffset = offset + 2 + entries.count * 12 + 4
        for entry in entries {
            table += entry.tag.bytes + entry.type.bytes + entry.count.bytes
            if entry.value.count <= 4 {
                table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                table += UInt32(heapOffset + heap.count).bytes
                heap += entry.value + (entry.value.count.isMultiple(of: 2) ? [] : [0])
            }
        }
        return table + UInt32(0).bytes + heap
    }
}
