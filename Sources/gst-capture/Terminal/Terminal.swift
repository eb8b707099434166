// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// What the other end of a stream can show.
struct Terminal: Sendable {
    /// True where a line can be drawn over and over.
    let isLive: Bool
    /// True where colours are wanted: a terminal, and neither `NO_COLOR` nor `TERM=dumb`.
    let hasColour: Bool
    /// True where the locale speaks UTF-8.
    let isUnicode: Bool

    private let descriptor: Int32

    /// Looks at a stream and at the environment.
    init(_ stream: StandardStream, environment: (String) -> String? = Self.variable) {
        descriptor = stream.descriptor
        isLive = isatty(stream.descriptor) == 1 && environment("TERM") ?? "dumb" != "dumb"
        hasColour = isLive && (environment("NO_COLOR") ?? "").isEmpty
        isUnicode = Self.isUnicode(environment)
    }

    /// How many characters a line has now (`TIOCGWINSZ`); 80 where nobody knows.
    var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Text in a colour, where colours are wanted.
    func styled(_ text: String, _ style: Style) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The few styles that are used.
    enum Style: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// A variable of the environment (`getenv`).
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    // The first of the three that is set decides, as in setlocale(3).
    private static func isUnicode(_ environment: (String) -> String?) -> Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let locale = environment(name)?.lowercased(), !locale.isEmpty else { continue }
            return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
        }
        return false
    }
}
