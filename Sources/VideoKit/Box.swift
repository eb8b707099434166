// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The four characters that name a type of boxes, brands or sample entries (ISO/IEC 14496-12, 4.2).
struct FourCC: Hashable, Sendable {
    let value: UInt32

    init(_ value: UInt32) { self.value = value }

    /// `true` if all characters are printable, as those of all registered types are. Zeros of a lost block are not.
    var isPrintable: Bool {
        (0..<4).allSatisfy { index in
            let character = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))
            return (0x20...0x7E).contains(character) || character == 0xA9
        }
    }
}

extension FourCC: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { value = text.utf8.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

extension FourCC: CustomStringConvertible {
    /// The characters; `????` if they are not printable.
    var description: String {
        guard isPrintable else { return "????" }
        return String(decoding: stride(from: 24, through: 0, by: -8).map { UInt8(value >> $0 & 0xFF) }, as: UTF8.self)
    }
}

/// The header of a box: its type and its size (ISO/IEC 14496-12, 4.2.2). Nothing guarantees that the box fits into its
/// file.
struct BoxHeader: Hashable {
    let type: FourCC
    /// The size of the header in bytes: 8, or 16 with a 64-bit size.
    let headerCount: Int
    /// The size of the box in bytes, with its header; `nil` if it extends to the end of the file.
    let byteCount: Int?

    /// The maximum size of a header in bytes.
    static let mostBytes = 16

    /// Reads the header at the start of `bytes`.
    ///
    /// - Returns: `nil` if the bytes end inside the header, or the size is smaller than the header.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        let size = bytes.number(at: 0, byteCount: 4)
        type = FourCC(UInt32(truncatingIfNeeded: bytes.number(at: 4, byteCount: 4)))
        switch size {
        case 0: (headerCount, byteCount) = (8, nil)
        case 1:
            guard bytes.count >= Self.mostBytes, let large = Int(exactly: bytes.number(at: 8, byteCount: 8)),
                large >= Self.mostBytes
            else { return nil }
            (headerCount, byteCount) = (Self.mostBytes, large)
        default:
            guard size >= 8 else { return nil }
            (headerCount, byteCount) = (8, Int(size))
        }
    }
}

extension ArraySlice<UInt8> {
    /// Returns a big-endian number. The bytes must exist.
    fileprivate func number(at offset: Int, byteCount: Int) -> UInt64 {
        self[(startIndex + offset)..<(startIndex + offset + byteCount)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A box inside other bytes.
struct Box {
    let type: FourCC
    /// The box with its header.
    let range: Range<Int>
    /// The box without its header.
    let content: Range<Int>
}

/// Reads numbers and boxes from bytes that are not trusted: no call reads beyond the end.
struct ByteReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// Creates a reader of a part of `bytes`; of all bytes without a range. The range must be inside.
    init(_ bytes: [UInt8], _ range: Range<Int>? = nil) {
        self.bytes = bytes
        (position, end) = (range?.lowerBound ?? 0, range?.upperBound ?? bytes.count)
    }

    /// The number of bytes up to the end.
    var remaining: Int { end - position }

    /// Returns the next big-endian number.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` at the end.
    mutating func number<Number: FixedWidthInteger>(_: Number.Type) throws(CaptureError) -> Number {
        let count = Number.bitWidth / 8
        guard remaining >= count else { throw .damagedMovie("a box is too short") }
        var value: Number = 0
        for index in position..<(position + count) { value = value << 8 | Number(truncatingIfNeeded: bytes[index]) }
        position += count
        return value
    }

    mutating func uint32() throws(CaptureError) -> UInt32 { try number(UInt32.self) }

    /// Returns the version and the flags of a full box (ISO/IEC 14496-12, 4.2.2).
    mutating func versionAndFlags() throws(CaptureError) -> (version: UInt8, flags: UInt32) {
        let word = try uint32()
        return (UInt8(word >> 24), word & 0xFF_FFFF)
    }

    /// Returns a number of 64 bits, or of 32 in the version 0 of a box.
    mutating func number(version: UInt8) throws(CaptureError) -> UInt64 {
        version == 0 ? UInt64(try uint32()) : try number(UInt64.self)
    }

    mutating func skip(_ count: Int) throws(CaptureError) {
        guard count >= 0, remaining >= count else { throw .damagedMovie("a box is too short") }
        position += count
    }

    /// Returns all bytes up to the end.
    mutating func rest() -> [UInt8] {
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Returns the next box, and continues after it; `nil` at the end.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the box does not fit. A size of 0 is refused: it is allowed
    ///   only outside of other boxes.
    mutating func box() throws(CaptureError) -> Box? {
        guard remaining > 0 else { return nil }
        guard let header = BoxHeader(bytes[position..<min(end, position + BoxHeader.mostBytes)]),
            let count = header.byteCount, count <= remaining
        else { throw .damagedMovie("a box does not fit into its container") }
        let range = position..<(position + count)
        position += count
        return Box(type: header.type, range: range, content: (range.lowerBound + header.headerCount)..<position)
    }

    /// Returns the first box of a type, and continues after it; `nil` if there is none up to the end.
    mutating func box(_ type: FourCC) throws(CaptureError) -> Box? {
        while let box = try box() {
            if box.type == type { return box }
        }
        return nil
    }
}

/// Writes boxes (ISO/IEC 14496-12, 4.2).
struct BoxWriter {
    /// The boxes so far.
    private(set) var bytes: [UInt8] = []

    /// Appends a number in big-endian order.
    mutating func put<Number: FixedWidthInteger>(_ value: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func put(_ type: FourCC) { put(type.value) }

    mutating func put(_ content: some Collection<UInt8>) { bytes.append(contentsOf: content) }

    mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Appends a box with this content, which must stay below 4 GiB.
    mutating func box(_ type: FourCC, _ content: (inout BoxWriter) -> Void) {
        let start = bytes.count
        put(0 as UInt32)
        put(type)
        content(&self)
        let size = UInt32(clamping: bytes.count - start)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32(index))) }
    }

    /// Appends a full box: a box with a version and flags.
    mutating func fullBox(
        _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout BoxWriter) -> Void
    ) {
        box(type) { writer in
            writer.put(UInt32(version) << 24 | flags)
            content(&writer)
        }
    }
}

extension CaptureError {
    /// Creates the error of a movie that cannot be read. The caller adds the path.
    static func damagedMovie(_ problem: String) -> CaptureError {
        CaptureError(
            .inputOutput, "is a damaged MP4 file: \(problem)",
            advice: "the file is unchanged; restore it from a copy, or delete it")
    }
}
