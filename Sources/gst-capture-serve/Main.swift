// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import LibraryCommands
import OutboxCommands
import ServeKit

/// The program that `gst-capture serve`, `gst-capture library` and `gst-capture outbox` start. It is one program, because
/// they share most of their code.
@main
enum ServeMain {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "library": LibraryProgram.run(Array(arguments.dropFirst()))
        case "outbox": OutboxProgram.run(Array(arguments.dropFirst()))
        default: await Serve.main()
        }
    }
}
#else
import Glibc

/// Takes the place of the service and the library in a build without the package trait `Service`, which brings the HTTP
/// server and the database.
@main
enum WithoutService {
    static func main() {
        let line = "gst-capture-serve: was built without the package trait Service; use make build\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(78)
    }
}
#endif
