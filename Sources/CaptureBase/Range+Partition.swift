// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Range where Bound == Int {
    /// Returns the first index for which `holds` is `true`, by binary search; the upper bound if there is none. `holds`
    /// must be `true` for all indices after it.
    package func partition(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
