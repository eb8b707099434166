// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What becomes of eight bytes in a row: each `b` to `(keep · b + add) / 256`.
///
/// `keep` is 0...256, `add` 256 times what is added, with half a step for rounding. A byte that stays has 256 and 128.
/// Eight, not sixteen: a line crosses a row in a few bytes, chroma in half as many, and each product needs the room of
/// two, so that eight fill a register of 16 bytes.
struct BlendVector: Sendable, Hashable {
    private(set) var keep = SIMD8<UInt16>(repeating: 256)
    private(set) var add = SIMD8<UInt16>(repeating: 128)

    /// The bytes that it covers.
    static let width = 8

    /// Bytes that stay as they are.
    static let identity = BlendVector()

    private init() {}

    /// Says what becomes of one of the bytes.
    mutating func set(_ index: Int, _ step: BlendStep) { (keep[index], add[index]) = (step.keep, step.add) }

    /// Does it to eight bytes at any address.
    @inline(__always)
    static func apply(_ keep: SIMD8<UInt16>, _ add: SIMD8<UInt16>, to place: UnsafeMutableRawPointer) {
        let bytes = SIMD8<UInt16>(truncatingIfNeeded: place.loadUnaligned(as: SIMD8<UInt8>.self))
        let blended = (bytes &* keep &+ add) &>> 8
        place.storeBytes(of: SIMD8<UInt8>(truncatingIfNeeded: blended), as: SIMD8<UInt8>.self)
    }
}

/// What becomes of one byte.
struct BlendStep: Sendable, Hashable {
    let keep: UInt16
    let add: UInt16

    /// From real numbers: `keep` in 0...1, `add` in code values.
    init(keep: Float, add: Float) {
        let share = min(256, max(0, (keep * 256).rounded()))
        // Where the share is off by its rounding, the middle of all bytes is made right: that halves the greatest error.
        let balance = (share - keep * 256) * 127.5
        self.keep = UInt16(share)
        // Never so much that the largest byte would not fit.
        let most = Float(UInt16.max) - share * 255
        self.add = UInt16(min(most, max(0, (add * 256 - balance + 128).rounded())))
    }

    /// Does it to one byte.
    func apply(to byte: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (UInt16(byte) &* keep &+ add) &>> 8) }
}
