// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What becomes of the bytes of one row of a plane: each `b` to `keep · b + add`, all layers together.
///
/// Scratch memory for a plan that is being made, used for one row after the other.
struct AffineRow: ~Copyable {
    /// How many bytes there are.
    let count: Int
    /// The share of what was there; 1 where nothing is drawn.
    let keep: UnsafeMutablePointer<Float>
    /// What is added, in code values.
    let add: UnsafeMutablePointer<Float>
    /// The bytes that were drawn on lie in here.
    private(set) var touched: Range<Int>

    /// A row on which nothing is drawn.
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

    /// Draws over a byte: what covers it with `alpha` adds `value`.
    @inline(__always)
    func cover(_ index: Int, alpha: Float, value: Float) {
        keep[index] *= 1 - alpha
        add[index] = add[index] * (1 - alpha) + value
    }

    /// Says that bytes in this range may have been drawn on.
    mutating func touch(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let inside = range.clamped(to: 0..<count)
        touched =
            touched.isEmpty
            ? inside : min(touched.lowerBound, inside.lowerBound)..<max(touched.upperBound, inside.upperBound)
    }

    /// Takes everything off again.
    mutating func clear() {
        for index in touched { (keep[index], add[index]) = (1, 0) }
        touched = 0..<0
    }
}
