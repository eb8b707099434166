// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Where bytes of a plane lie, whatever the stride of the frame that comes.
struct BlendPlace: Sendable, Hashable {
    /// Rows that a plane may have, and bytes of a row.
    static let limit = 1 << 16

    private let packed: UInt32

    /// - Precondition: both are below ``limit``.
    init(row: Int, byte: Int) { packed = UInt32(row << 16 | byte) }

    /// The distance from the start of the plane.
    @inline(__always)
    func offset(_ stride: Int) -> Int { Int(packed &>> 16) &* stride &+ Int(packed & 0xFFFF) }
}
