// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The order of names in which numbers count by their value: `9.jpg` comes before `10.jpg`.
package enum NaturalOrder {
    /// Returns `true` if a name comes before another one. Names that differ only in leading zeros keep the order of their
    /// bytes, so that no two different names are equal.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let (first, second) = (Array(left.utf8), Array(right.utf8))
        var (place, other) = (0, 0)
        while place < first.count, other < second.count {
            if first[place].isDigit, second[other].isDigit {
                let (number, next) = number(first, from: place)
                let (otherNumber, otherNext) = self.number(second, from: other)
                if number.count != otherNumber.count { return number.count < otherNumber.count }
                if let (one, two) = zip(number, otherNumber).first(where: { $0 != $1 }) { return one < two }
                (place, other) = (next, otherNext)
            } else {
                if first[place] != second[other] { return first[place] < second[other] }
                (place, other) = (place + 1, other + 1)
            }
        }
        let (rest, otherRest) = (first.count - place, second.count - other)
        return rest == otherRest ? first.lexicographicallyPrecedes(second) : rest < otherRest
    }

    /// Returns the last number in a name, with the text before and after it; `nil` if there is none that fits into 18
    /// digits.
    package static func lastNumber(in name: String) -> (head: String, number: Int, tail: String)? {
        let bytes = Array(name.utf8)
        // Not the extension: an MP4 has a number there.
        let stem = bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.count
        guard let last = bytes[..<stem].lastIndex(where: \.isDigit) else { return nil }
        let start = (bytes[...last].lastIndex { !$0.isDigit }).map { $0 + 1 } ?? 0
        guard last - start < 18, let number = Int(String(decoding: bytes[start...last], as: UTF8.self)) else {
            return nil
        }
        return (
            String(decoding: bytes[..<start], as: UTF8.self), number,
            String(decoding: bytes[(last + 1)...], as: UTF8.self)
        )
    }

    /// Returns the digits of a number without leading zeros, and the place after it.
    private static func number(_ bytes: [UInt8], from start: Int) -> (digits: ArraySlice<UInt8>, next: Int) {
        let end = bytes[start...].firstIndex { !$0.isDigit } ?? bytes.count
        let first = bytes[start..<end].firstIndex { $0 != UInt8(ascii: "0") } ?? end
        return (bytes[first..<end], end)
    }
}
