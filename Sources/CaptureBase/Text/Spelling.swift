// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Finds the name that the user probably meant.
package enum Spelling {
    /// Returns the candidate with the smallest edit distance, the first of several; `nil` if the distance is more than
    /// one and more than a third of the text's length.
    package static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        // Typing errors are shorter than this, and the cost grows with the square of the length.
        let typed = Array(text.lowercased().unicodeScalars.prefix(128))
        let best =
            candidates
            .map { (candidate: $0, edits: edits(typed, Array($0.lowercased().unicodeScalars.prefix(128)))) }
            .min { $0.edits < $1.edits }
        guard let best, best.edits <= max(1, typed.count / 3) else { return nil }
        return best.candidate
    }

    /// Returns the Damerau-Levenshtein distance: inserting, deleting or replacing a scalar, and swapping two neighbors,
    /// count as one edit each.
    private static func edits(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        var (before, above, row) = ([Int](), [Int](), Array(0...second.count))
        for (index, scalar) in first.enumerated() {
            (before, above, row) = (above, row, [index + 1])
            for (column, other) in second.enumerated() {
                var edits = min(above[column] + (scalar == other ? 0 : 1), above[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, scalar == second[column - 1], first[index - 1] == other {
                    edits = min(edits, before[column - 1] + 1)
                }
                row.append(edits)
            }
        }
        return row[second.count]
    }
}
