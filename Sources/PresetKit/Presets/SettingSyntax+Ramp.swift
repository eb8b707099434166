// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension SettingSyntax where Value == Double {
    /// Stops of exposure, as a decimal number or a fraction.
    static var stops: Self {
        Self("stops") { text throws(InvalidValue) in
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let over = number(parts[0]), let under = parts.count == 1 ? 1 : number(parts[1]), under > 0 else {
                throw InvalidValue("\(text.quoted) is not a number of stops", advice: "give one such as 1/6 or 0.2")
            }
            let range = 0.01...3.0
            guard range.contains(over / under) else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 0.01 to 3")
            }
            return over / under
        }
    }

    /// Mean luma in percent of white. The value is 0 to 1.
    static var brightness: Self {
        Self("percent") { text throws(InvalidValue) in
            guard text.hasSuffix("%"), let percent = number(text.dropLast()) else {
                throw InvalidValue("\(text.quoted) is not a brightness", advice: "give one such as 45%")
            }
            guard 5.0...95.0 ~= percent else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 5% to 95%")
            }
            return percent / 100
        }
    }

    /// Reads a decimal number without sign or exponent; `nil` if it is anything else.
    private static func number(_ text: Substring) -> Double? {
        let isPlain = text.utf8.count <= 16 && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
        return isPlain ? Double(text) : nil
    }
}
