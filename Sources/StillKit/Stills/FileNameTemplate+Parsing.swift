// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension FileNameTemplate {
    /// Returns the parts of a template, in order.
    static func parse(_ text: String) throws(CaptureError) -> [Part] {
        var (parts, rest) = ([Part](), Substring(text))
        while let character = rest.popFirst() {
            append(character == "%" ? try field(&rest, in: text) : .text(String(character)), to: &parts)
        }
        return parts
    }

    /// Appends a part; adjacent texts become one part.
    private static func append(_ part: Part, to parts: inout [Part]) {
        if case .text(let new) = part, case .text(let text)? = parts.last {
            parts[parts.count - 1] = .text(text + new)
        } else {
            parts.append(part)
        }
    }

    /// Parses the field after a percent sign.
    private static func field(_ rest: inout Substring, in text: String) throws(CaptureError) -> Part {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(digits.count)
        guard let letter = rest.popFirst() else { throw unknown("%\(digits)", in: text) }
        if letter == "n", digits.count <= 2 { return .sequence(width: Int(digits) ?? 0) }
        guard digits.isEmpty else { throw unknown("%\(digits)\(letter)", in: text) }
        if letter == "%" { return .text("%") }
        guard "aAbBdeFgGHIjklmMpsSuUVwWyYzZ".contains(letter) else { throw unknown("%\(letter)", in: text) }
        return .time("%\(letter)")
    }

    private static func unknown(_ field: String, in text: String) -> CaptureError {
        CaptureError(
            .usage, "\(field) in \"\(text)\" is not a field", subject: "output",
            advice: "use %n or %05n for the number, %Y %m %d %H %M %S for the time, %% for a percent sign")
    }
}
