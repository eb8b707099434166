// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// A size on the command line: `1280x720`.
struct PictureSize: ExpressibleByArgument, Sendable {
    let width: Int
    let height: Int

    /// Parses a size; returns `nil` for other text, and for a width or height that is not in 1...8192.
    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (1...8192).contains(width),
            (1...8192).contains(height)
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    var defaultValueDescription: String { "\(width)x\(height)" }
}
