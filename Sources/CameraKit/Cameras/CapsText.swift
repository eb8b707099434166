// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Parses the formats of a camera from caps in text form, as GStreamer prints them (`gst_caps_to_string`).
///
/// The parser needs no GStreamer and accepts any text; it skips the parts that it does not understand.
enum CapsText {
    /// Returns the formats. Structures of the same media type become one format with all their sizes.
    static func formats(_ caps: [String]) -> [CameraFormat] {
        var order: [MediaType] = []
        var sizes: [MediaType: [FrameSize]] = [:]
        for structure in caps.flatMap({ split($0, at: ";") }) {
            let fields = split(structure, at: ",")
            guard let name = fields.first.map(mediaName), !name.isEmpty else { continue }
            let values = values(of: fields.dropFirst())
            for format in names(values["format"]) {
                let media = MediaType(name, format: format)
                if sizes[media] == nil { order.append(media) }
                sizes[media, default: []] += frameSizes(values)
            }
        }
        return order.map { CameraFormat(fourcc: .none, title: "", media: $0, sizes: sizes[$0, default: []]) }
    }

    /// Returns the name without memory features, such as those of `video/x-raw(memory:DMABuf)`.
    private static func mediaName(_ text: String) -> String {
        FixedText.trimmed(String(text.prefix { $0 != "(" }))
    }

    /// Returns the values of the fields `name=(type)value` by name, without types.
    private static func values(of fields: some Sequence<String>) -> [String: String] {
        var values: [String: String] = [:]
        for field in fields {
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[FixedText.trimmed(String(parts[0]))] = untyped(String(parts[1]))
        }
        return values
    }

    private static func untyped(_ text: String) -> String {
        let text = FixedText.trimmed(text)
        guard text.first == "(", let end = text.firstIndex(of: ")") else { return text }
        return FixedText.trimmed(String(text[text.index(after: end)...]))
    }

    private static func names(_ value: String?) -> [String?] {
        guard let value else { return [nil] }
        return elements(value).map { $0.filter { $0 != "\"" } }
    }

    private static func frameSizes(_ values: [String: String]) -> [FrameSize] {
        let rates = rates(values["framerate"])
        return ranges(values["width"]).flatMap { width in
            ranges(values["height"]).map { FrameSize(width, $0, rates: rates) }
        }
    }

    /// Parses `640`, `[ 16, 1920 ]`, `[ 16, 1920, 8 ]` or `{ 640, 1280 }`.
    private static func ranges(_ value: String?) -> [SteppedRange] {
        guard let value else { return [] }
        guard value.first == "[" else {
            return elements(value).compactMap { Int($0) }.filter { $0 > 0 }.map { SteppedRange($0) }
        }
        let numbers = elements(value).compactMap { Int($0) }
        guard numbers.count >= 2, numbers.allSatisfy({ $0 > 0 }) else { return [] }
        return [SteppedRange(numbers[0], through: numbers[1], step: numbers.count > 2 ? numbers[2] : 1)]
    }

    private static func rates(_ value: String?) -> FrameRates {
        guard let value else { return .unknown }
        let rates = elements(value).compactMap { FrameRate($0) }
        if value.first == "[" {
            // FrameRate rejects 0/1. A range from there begins at 1 frame a second, or at its end if that is lower.
            guard let slow = rates.min(), let fast = rates.max() else { return .unknown }
            return .range((rates.count == 1 ? min(FrameRate(1) ?? slow, slow) : slow)...fast)
        }
        return .discrete(rates.sorted(by: >))
    }

    /// Returns the elements of a list or range, or the single value, without types.
    private static func elements(_ value: String) -> [String] {
        guard let first = value.first, "[{<".contains(first) else { return [value] }
        return split(String(value.dropFirst().dropLast()), at: ",").map(untyped)
    }

    /// Splits at separators outside quotes and brackets.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var (parts, part, depth, isQuoted, isEscaped) = ([String](), "", 0, false, false)
        for character in text {
            if isEscaped || character == "\\" {
                isEscaped.toggle()
            } else if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted {
                if "[{<(".contains(character) { depth += 1 }
                if "]}>)".contains(character) { depth = max(0, depth - 1) }
                if character == separator, depth == 0 {
                    parts.append(part)
                    part = ""
                    continue
                }
            }
            part.append(character)
        }
        parts.append(part)
        return parts.filter { !FixedText.trimmed($0).isEmpty }
    }
}
