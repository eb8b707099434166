// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A position in a plane, independent of the frame's stride.
struct BlendPlace: Sendable, Hashable {
    /// The limit for the rows of a plane and for the bytes of a row.
    static let limit = 1 << 16

    private let packed: UInt32

    /// - Precondition: Both are below ``limit``.
    init(row: Int, byte: Int) { packed = UInt32(row << 16 | byte) }

    /// Returns the distance in bytes from the start of the plane.
    @inline(__always)
    func offset(_ stride: Int) -> Int { Int(packed &>> 16) &* stride &+ Int(packed & 0xFFFF) }
}
