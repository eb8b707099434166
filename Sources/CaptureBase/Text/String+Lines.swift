// Part of gst-capture. Apache License 2.0, see LICENSE.

extension String {
    /// The lines, each without its line feed.
    package var lines: [Substring.UTF8View] {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}
