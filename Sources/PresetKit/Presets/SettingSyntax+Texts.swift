// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension SettingSyntax where Value == String {
    /// A shell command, which may span several lines.
    static var script: Self {
        Self("command") { text throws(InvalidValue) in
            guard text.utf8.count <= 16384 else { throw InvalidValue("is longer than 16384 bytes") }
            let isPlain = text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control || "\n\t".unicodeScalars.contains($0)
            }
            guard isPlain else { throw InvalidValue("contains a control character", advice: "put it into a script") }
            return text
        }
    }

    /// Elements in gst-launch syntax, which may span several lines.
    static func fragment(_ placeholder: String) -> Self {
        let line = text(placeholder, most: 16384)
        return Self(placeholder) { text throws(InvalidValue) in
            let blanks = text.unicodeScalars.map { "\n\r\t".unicodeScalars.contains($0) ? " " : $0 }
            return try line.parse(.text(SourcedText(text: String(String.UnicodeScalarView(blanks)))))
        }
    }

    /// A pixel format of GStreamer, or `mjpeg`. V4L2's spelling is accepted if it is better known.
    static func pixelFormat(_ placeholder: String) -> Self {
        Self(placeholder) { text throws(InvalidValue) in
            guard text.utf8.count <= 32, text.utf8.allSatisfy({ $0.isWordCharacter }) else {
                throw InvalidValue(
                    "\(text.quoted) is not a pixel format", advice: "give one such as YUY2, NV12 or mjpeg")
            }
            switch text.lowercased() {
            case "mjpeg", "mjpg", "jpeg": return "mjpeg"
            case "yuyv", "yuy2": return "YUY2"
            case "nv12", "i420", "uyvy", "rgb", "bgr", "gray8": return text.uppercased()
            default: return text
            }
        }
    }
}
