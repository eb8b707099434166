// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The change to eight consecutive bytes: each byte `b` becomes `(keep · b + add) / 256`.
///
/// `keep` is in 0...256. `add` is 256 times the added value, plus 128 (half a step) for rounding, minus a balance for
/// the rounding of `keep` (``BlendStep``). A byte that stays unchanged has 256 and 128.
///
/// A vector has eight bytes, not sixteen: a line crosses a row in a few bytes, and in half as many of chroma. Each
/// product needs two bytes, so that eight products fill a 16-byte register.
struct BlendVector: Sendable, Hashable {
    private(set) var keep = SIMD8<UInt16>(repeating: 256)
    private(set) var add = SIMD8<UInt16>(repeating: 128)

    /// The number of bytes in a vector.
    static let width = 8

    /// A vector that leaves its bytes unchanged.
    static let identity = BlendVector()

    private init() {}

    /// Sets the change to one of the bytes.
    mutating func set(_ index: Int, _ step: BlendStep) { (keep[index], add[index]) = (step.keep, step.add) }

    /// Applies a vector to eight bytes at any address, aligned or not.
    @inline(__always)
    static func apply(_ keep: SIMD8<UInt16>, _ add: SIMD8<UInt16>, to place: UnsafeMutableRawPointer) {
        let bytes = SIMD8<UInt16>(truncatingIfNeeded: place.loadUnaligned(as: SIMD8<UInt8>.self))
        let blended = (bytes &* keep &+ add) &>> 8
        place.storeBytes(of: SIMD8<UInt8>(truncatingIfNeeded: blended), as: SIMD8<UInt8>.self)
    }
}

/// The change to one byte.
struct BlendStep: Sendable, Hashable {
    let keep: UInt16
    let add: UInt16

    /// Rounds real numbers: `keep` in 0...1, `add` in code values.
    init(keep: Float, add: Float) {
        let share = min(256, max(0, (keep * 256).rounded()))
        // Rounding `keep` shifts the results. The balance makes the middle of all byte values exact, which halves the
        // largest error.
        let balance = (share - keep * 256) * 127.5
        self.keep = UInt16(share)
        // Limits `add`, so that the largest byte does not overflow.
        let most = Float(UInt16.max) - share * 255
        self.add = UInt16(min(most, max(0, (add * 256 - balance + 128).rounded())))
    }

    /// Applies the change to one byte.
    func apply(to byte: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (UInt16(byte) &* keep &+ add) &>> 8) }
}
