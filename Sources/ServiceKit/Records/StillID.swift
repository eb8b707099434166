// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The ID of a picture of a series: `minute-1204`.
public struct StillID: Sendable, Hashable, CustomStringConvertible {
    /// The ID of the series.
    public let series: String
    /// The number of the picture's line in the ledger, from 1.
    public let line: Int

    init(series: String, line: Int) { (self.series, self.line) = (series, line) }

    /// Reads an ID; `nil` if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 128, let dash = text.lastIndex(of: "-") else { return nil }
        let digits = text[text.index(after: dash)...]
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit), let line = Int(digits), line > 0,
            digits.first != "0", dash != text.startIndex
        else { return nil }
        let series = text[..<dash]
        guard series.utf8.allSatisfy({ $0.isWordCharacter || $0 == UInt8(ascii: "-") }) else { return nil }
        self.init(series: String(series), line: line)
    }

    /// The ID, as in URLs.
    public var description: String { "\(series)-\(line)" }
}
