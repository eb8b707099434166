// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The features of the terminal behind a stream.
package struct Terminal: Sendable {
    /// `true` if a line can be redrawn.
    package let isLive: Bool
    /// `true` if colors are shown: the stream is a terminal, and neither `NO_COLOR` nor `TERM=dumb` is set.
    let hasColor: Bool
    /// `true` if the locale uses UTF-8.
    package let isUnicode: Bool

    private let descriptor: Int32

    /// Reads the features from the stream and the environment.
    package init(_ stream: StandardStream, environment: (String) -> String? = Self.variable) {
        descriptor = stream.descriptor
        isLive = isatty(stream.descriptor) == 1 && environment("TERM") ?? "dumb" != "dumb"
        hasColor = isLive && (environment("NO_COLOR") ?? "").isEmpty
        isUnicode = Self.isUnicode(environment)
    }

    /// The current number of characters per line (`TIOCGWINSZ`); 80 if it is unknown.
    package var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns text in a style, if the terminal has colors.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The styles, by their SGR parameter (ECMA-48).
    package enum Style: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Returns a variable of the environment (`getenv`).
    package static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    // The first of the three that is set decides, as in setlocale(3).
    private static func isUnicode(_ environment: (String) -> String?) -> Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let locale = environment(name)?.lowercased(), !locale.isEmpty else { continue }
            return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
        }
        return false
    }
}
