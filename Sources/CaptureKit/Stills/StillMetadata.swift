// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a picture says about itself, by EXIF 2.32.
public struct StillMetadata: Sendable, Hashable {
    /// Who made the camera.
    public var make: String?
    /// Which camera it is.
    public var model: String?
    /// What took the picture.
    public var software = "gst-capture"
    /// When it was taken.
    public var captured: WallTime
    /// Pixels in a row and rows, as stored.
    public var width: Int, height: Int
    /// How it has to be turned.
    public var orientation = Orientation.upright
    /// In seconds, where the driver tells.
    public var exposureTime: Double?
    /// ISO speed, where the driver tells.
    public var sensitivity: Double?

    /// Says when it was taken, and how large it is.
    public init(captured: WallTime, width: Int, height: Int) {
        self.captured = captured
        self.width = width
        self.height = height
    }

    /// The block of tags, as a TIFF file in little-endian order.
    func exif() -> [UInt8] {
        var image = ExifDirectory()
        image.add(0x010F, text: make)
        image.add(0x0110, text: model)
        image.add(0x0112, short: orientation.rawValue)
        // Required, though nobody knows: 72 dots to the inch.
        for tag: UInt16 in [0x011A, 0x011B] { image.add(tag, numerator: 72, denominator: 1) }
        image.add(0x0128, short: 2)
        image.add(0x0131, text: software)
        image.add(0x0132, text: captured.exifDate)
        // Chroma lies in the middle of its pixels, as in JFIF.
        image.add(0x0213, short: 1)
        return ExifDirectory.tiff(image: image, exif: exifDirectory())
    }

    private func exifDirectory() -> ExifDirectory {
        var exif = ExifDirectory()
        if let exposureTime, exposureTime >= 0.000_001, exposureTime < 4000 {
            exif.add(0x829A, numerator: UInt32((exposureTime * 1_000_000).rounded()), denominator: 1_000_000)
        }
        if let sensitivity, sensitivity >= 1, sensitivity < 65535 {
            exif.add(0x8827, short: Int(sensitivity.rounded()))
        }
        exif.add(0x9000, undefined: Array("0232".utf8))
        for tag: UInt16 in [0x9003, 0x9004] { exif.add(tag, text: captured.exifDate) }
        for tag: UInt16 in [0x9010, 0x9011, 0x9012] { exif.add(tag, text: captured.exifOffset) }
        // Y, Cb, Cr: what every JPEG of a camera holds.
        exif.add(0x9101, undefined: [1, 2, 3, 0])
        for tag: UInt16 in [0x9290, 0x9291, 0x9292] { exif.add(tag, text: captured.exifSubseconds) }
        exif.add(0xA000, undefined: Array("0100".utf8))
        exif.add(0xA001, short: 1)
        exif.add(0xA002, long: width)
        exif.add(0xA003, long: height)
        return exif
    }
}

/// A directory of tags (IFD), written in the order in which they are added, which has to rise.
struct ExifDirectory {
    private struct Entry {
        let tag: UInt16, type: UInt16, count: UInt32
        let value: [UInt8]
    }

    private var entries: [Entry] = []

    mutating func add(_ tag: UInt16, text: String?) {
        // Names come from devices: what is not printable ASCII has no place in an ASCII tag.
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

    /// A header, the image's directory with a pointer to EXIF's, and EXIF's.
    static func tiff(image: ExifDirectory, exif: ExifDirectory) -> [UInt8] {
        let header: [UInt8] = Array("II".utf8) + UInt16(42).bytes + UInt32(8).bytes
        var image = image
        image.add(0x8769, long: 0)
        let exifOffset = header.count + image.serialized(at: header.count).count
        image.entries.removeLast()
        image.add(0x8769, long: exifOffset)
        return header + image.serialized(at: header.count) + exif.serialized(at: exifOffset)
    }

    /// The entries, then the values that do not fit into them.
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

extension FixedWidthInteger {
    /// The bytes, the lowest first.
    var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
    /// The bytes, the highest first.
    var networkBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
