// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import OverlayCompositor
import RasterConfinement

/// Draws overlays for the program that started it. Standard input is the connection to that program.
@main
enum Main {
    static func main() {
        guard isSocket(STDIN_FILENO) else {
            let help = "gst-capture-raster: draws overlays for gst-capture, which starts it when needed\n"
            _ = write(STDERR_FILENO, help, help.utf8.count)
            exit(64)
        }
        guard Confinement.enter() else { exit(RasterChannel.unconfinedStatus) }
        RasterServer(RasterChannel(socket: STDIN_FILENO)).run()
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
