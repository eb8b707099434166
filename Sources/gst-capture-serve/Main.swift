// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ServeKit

/// The program that `gst-capture serve` starts.
@main
enum ServeMain {
    static func main() async { await Serve.main() }
}
#else
import Glibc

/// Takes the place of the service in a build without the package trait `Service`, which brings the HTTP server.
@main
enum WithoutService {
    static func main() {
        let line = "gst-capture-serve: was built without the package trait Service; use make build\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(78)
    }
}
#endif
