// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Range where Bound == Int {
    /// The first from which on something holds, found by halving; the end where it holds for none.
    package func partition(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
