// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Finds what was probably meant.
enum Spelling {
    /// The candidate that takes the fewest edits, if that is few for the length; of equals the first.
    static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        // Nobody mistypes more than this; the cost grows with the square.
        let typed = Array(text.lowercased().unicodeScalars.prefix(128))
        let best =
            candidates
            .map { (candidate: $0, edits: edits(typed, Array($0.lowercased().unicodeScalars.prefix(128)))) }
            .min { $0.edits < $1.edits }
        guard let best, best.edits <= max(1, typed.count / 3) else { return nil }
        return best.candidate
    }

    /// Levenshtein's distance.
    private static func edits(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        var row = Array(0...second.count)
        for (index, scalar) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in second.enumerated() {
                let substituted = diagonal + (scalar == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
