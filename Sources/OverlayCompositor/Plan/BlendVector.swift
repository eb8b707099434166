// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What becomes of sixteen bytes in a row: each `b` to `(keep · b + add) / 256`, even and odd bytes apart, as each product
/// needs the room of two.
///
/// `keep` is 0...256, `add` 256 times what is added, with half a step for rounding. A byte that stays has 256 and 128.
struct BlendVector: Sendable, Hashable {
    private var evenKeep: SIMD8<UInt16>
    private var oddKeep: SIMD8<UInt16>
    private(set) var evenAdd: SIMD8<UInt16>
    private(set) var oddAdd: SIMD8<UInt16>

    /// The bytes that it covers.
    static let width = 16

    /// Bytes that stay as they are.
    static let identity = BlendVector()

    private init() {
        (evenKeep, oddKeep) = (.init(repeating: 256), .init(repeating: 256))
        (evenAdd, oddAdd) = (.init(repeating: 128), .init(repeating: 128))
    }

    /// Says what becomes of one of the bytes.
    mutating func set(_ index: Int, _ step: BlendStep) {
        if index & 1 == 0 {
            (evenKeep[index / 2], evenAdd[index / 2]) = (step.keep, step.add)
        } else {
            (oddKeep[index / 2], oddAdd[index / 2]) = (step.keep, step.add)
        }
    }

    /// Does it, to sixteen bytes at any address.
    @inline(__always)
    func apply(to place: UnsafeMutableRawPointer) { apply(to: place, even: evenAdd, odd: oddAdd) }

    /// Does it with other values to add.
    @inline(__always)
    func apply(to place: UnsafeMutableRawPointer, even evenAdd: SIMD8<UInt16>, odd oddAdd: SIMD8<UInt16>) {
        // As words of two bytes, of which the even one is the low one: all machines that Swift runs on are little-endian.
        let bytes = place.loadUnaligned(as: SIMD8<UInt16>.self)
        let even = (bytes & 0xFF) &* evenKeep &+ evenAdd
        let odd = (bytes &>> 8) &* oddKeep &+ oddAdd
        place.storeBytes(of: (even &>> 8) | (odd & 0xFF00), as: SIMD8<UInt16>.self)
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
