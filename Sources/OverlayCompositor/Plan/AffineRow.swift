// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The change to the bytes of one row of a plane, by all layers together: each byte `b` becomes `keep · b + add`.
///
/// A row is scratch memory for the making of a plan, and is reused for each row of the plane.
struct AffineRow: ~Copyable {
    /// The number of bytes.
    let count: Int
    /// The share of the original byte that stays; 1 if nothing is drawn on it.
    let keep: UnsafeMutablePointer<Float>
    /// The value that is added, in code values.
    let add: UnsafeMutablePointer<Float>
    /// A range that contains all bytes that were drawn on.
    private(set) var touched: Range<Int>

    /// Creates a row on which nothing is drawn.
    init(count: Int) {
        self.count = count
        keep = .allocate(capacity: count)
        add = .allocate(capacity: count)
        keep.initialize(repeating: 1, count: count)
        add.initialize(repeating: 0, count: count)
        touched = 0..<0
    }

    deinit {
        keep.deallocate()
        add.deallocate()
    }

    /// Draws over a byte with opacity `alpha` and the premultiplied `value`.
    @inline(__always)
    func cover(_ index: Int, alpha: Float, value: Float) {
        keep[index] *= 1 - alpha
        add[index] = add[index] * (1 - alpha) + value
    }

    /// Extends ``touched`` to include bytes that may have been drawn on.
    mutating func touch(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let inside = range.clamped(to: 0..<count)
        touched =
            touched.isEmpty
            ? inside : min(touched.lowerBound, inside.lowerBound)..<max(touched.upperBound, inside.upperBound)
    }

    /// Clears the row for reuse.
    mutating func clear() {
        for index in touched { (keep[index], add[index]) = (1, 0) }
        touched = 0..<0
    }
}
