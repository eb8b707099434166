// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The requested size of a video in pixels. If the width or the height is `nil`, the proportions stay.
public struct VideoSize: Sendable, Hashable {
    /// The width and the height; at least one is not `nil`.
    public let width: Int?, height: Int?

    /// Creates a size; `nil` if neither length is given.
    package init?(width: Int?, height: Int?) {
        guard width != nil || height != nil else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// Reads a size such as `1280x720`, `1280x` or `x720`; `nil` if the text is none.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 16 else { return nil }
        let lengths = parts.map { part -> Int? in
            guard part.utf8.allSatisfy(\.isDigit), let length = Int(part), (16...8192).contains(length) else {
                return nil
            }
            return length
        }
        guard zip(parts, lengths).allSatisfy({ $0.isEmpty || $1 != nil }), lengths != [nil, nil] else { return nil }
        (width, height) = (lengths[0], lengths[1])
    }
}

/// The microphone of a recording.
public enum MicrophoneRequest: Sendable, Hashable {
    /// No sound.
    case off
    /// The microphone that the user has chosen in the desktop's settings, or the first of ALSA.
    case automatic
    /// A device of ALSA, such as `hw:1`.
    case device(String)
    /// Elements in gst-launch syntax, the first of which is a source of sound.
    case elements(String)

    /// Reads a short name, or elements, which have a source among them; any other text is a device.
    public init(_ text: String) {
        switch text.lowercased() {
        case "off", "no", "none": self = .off
        case "auto", "on", "yes": self = .automatic
        default: self = text.contains("src") ? .elements(text) : .device(text)
        }
    }

    /// The elements; `nil` for another kind of microphone.
    var elements: String? { if case .elements(let text) = self { text } else { nil } }
}

extension SettingSyntax where Value == VideoSize {
    /// The size of a video.
    package static var videoSize: Self {
        Self("size") { text throws(InvalidValue) in
            guard let size = VideoSize(text) else {
                throw InvalidValue("\(text.quoted) is not a size", advice: "give one such as 1280x720, 1280x or x720")
            }
            return size
        }
    }
}

extension SettingSyntax where Value == Int {
    /// Bits a second, with `k` or `M` for thousands and millions.
    package static var bitRate: Self {
        Self("rate") { text throws(InvalidValue) in
            let factor = ["k": 1_000, "K": 1_000, "M": 1_000_000, "m": 1_000_000][text.suffix(1)] ?? 1
            let number = factor == 1 ? text[...] : text.dropLast()
            let isNumber =
                !number.isEmpty && number.utf8.count <= 12
                && number.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
            guard isNumber, let value = Double(number) else {
                throw InvalidValue("\(text.quoted) is not a bit rate", advice: "give one such as 4M or 800k")
            }
            let bits = value * Double(factor)
            guard (50_000...200_000_000).contains(bits) else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 50k to 200M")
            }
            return Int(bits)
        }
    }
}

extension SettingSyntax where Value == String {
    /// A word: letters, digits and dashes.
    static func word(_ placeholder: String, _ choices: [String]) -> Self {
        Self(placeholder, choices: choices) { text throws(InvalidValue) in
            guard (1...64).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0.isWordCharacter || $0 == UInt8(ascii: "-") })
            else {
                throw InvalidValue("\(text.quoted) is not known", advice: "give \(choices.joined(separator: ", "))")
            }
            return text
        }
    }
}
