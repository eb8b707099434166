// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSystemCall
import Glibc
import OverlayCompositor
import RasterConfinement

/// Enters the confinement of `gst-capture-raster`, then attempts forbidden calls. It serves tests, and is not
/// installed.
///
/// A request is two lines: the path of a user's file, and the path of a font. The answer has a line for each attempt:
/// its name and its result, which is a negative errno if the attempt failed.
@main
enum Main {
    static func main() {
        guard Confinement.enter() else { exit(71) }
        let channel = RasterChannel(socket: STDIN_FILENO)
        guard let request = try? channel.receive() else { exit(1) }
        let paths = String(decoding: request, as: UTF8.self).split(separator: "\n").map(String.init)
        guard paths.count == 2 else { exit(2) }
        let results = Attempts(userFile: paths[0], font: paths[1]).all.map { "\($0.name)\t\($0.result)" }
        try? channel.send(Array(results.joined(separator: "\n").utf8))
    }
}
