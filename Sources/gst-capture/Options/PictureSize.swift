// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// A size as it is written on the command line: `1280x720`.
struct PictureSize: ExpressibleByArgument, Sendable {
    let width: Int
    let height: Int

    /// `nil` for what is no size, or none of a picture.
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
