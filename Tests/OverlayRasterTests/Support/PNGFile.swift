// Part of gst-capture. Apache License 2.0, see LICENSE.

/// PNG files, valid and invalid, built byte by byte.
enum PNGFile {
    /// A file with 8 bits of gray a pixel, uncompressed.
    static func gray(width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> UInt8) -> [UInt8] {
        let rows: [UInt8] = (0..<height).flatMap { y -> [UInt8] in [0] + (0..<width).map { pixel($0, y) } }
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: rows.count, by: 65535) {
            let block = rows[start..<min(start + 65535, rows.count)]
            let count = UInt16(block.count)
            stream.append(start + block.count == rows.count ? 1 : 0)
            stream += littleEndian(count) + littleEndian(~count)
            stream += block
        }
        stream += bigEndian(adler32(rows))
        return file(width, height, depth: 8, data: stream)
    }

    /// A black square of one bit a pixel, compressed a thousandfold: an endless supply of zeros for the decoder.
    static func bomb(side: Int) -> [UInt8] {
        // A block of fixed Huffman codes: a zero, then "258 bytes as the one before" eight times, repeated. The three
        // bits of the block's header and the eight bits of the zero are 11 bits, so that the rest has a period of 13
        // bytes.
        let start = "110" + "00110000"
        let match = "11000101" + "00000"
        let bits = Array(start + String(repeating: match, count: 16))
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { first in
            (0..<8).reduce(UInt8(0)) { $0 | (bits[first + $1] == "1" ? 1 << $1 : 0) }
        }
        let matches = (side / 8 + 1) * side / 258
        let period = Array(bytes[2..<15])
        return file(
            side, side, depth: 1,
            data: [0x78, 0x01] + bytes[..<2] + (0..<matches / 8).flatMap { _ in period })
    }

    /// A file with these contents in its chunks.
    static func file(_ width: Int, _ height: Int, depth: UInt8, data: [UInt8]) -> [UInt8] {
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [depth, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", data)
            + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bigEndian(UInt32(content.count)) + checked + bigEndian(crc32(checked))
    }

    private static func littleEndian(_ value: UInt16) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian, Array.init) }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        let (low, high) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let low = (sums.0 + UInt32(byte)) % 65521
            return (low, (sums.1 + low) % 65521)
        }
        return high << 16 | low
    }
}
