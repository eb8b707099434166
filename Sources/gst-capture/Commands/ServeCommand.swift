// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import Glibc

/// Starts the service, a separate program: captures do not load its HTTP server.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve cameras over HTTP: series, pictures on request, state and events.",
        discussion: """
            The configuration is a YAML file with cameras and their series, whose keys are those of presets. Without \
            it, the service has the first camera, or the built-in scene, and listens at port 8080 of this machine. It \
            prints the address. Only this machine can reach it; ssh -L reaches it from elsewhere.

            Examples:
              gst-capture serve
              gst-capture serve /etc/gst-capture/serve.yaml
              gst-capture serve garden.yaml --check
              gst-capture serve garden.yaml --listen unix:/run/gst-capture/serve.sock
              curl -X POST http://127.0.0.1:8080/api/v1/cameras/garden/snap -o now.jpg
              curl http://127.0.0.1:8080/api/v1/status

            While it runs:
              SIGHUP             reload the configuration; series that did not change continue undisturbed
              SIGINT, SIGTERM    stop after the current picture of each series
            """
    )

    @Argument(
        help: ArgumentHelp("The configuration.", valueName: "config"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Flag(help: "Check the configuration, and print a summary.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "Listen here in place of the configuration's addresses: 127.0.0.1:8080, unix:/run/serve.sock.",
            valueName: "address"))
    var listen: [String] = []

    @Option(help: ArgumentHelp("The format of the log on standard error: text or json.", valueName: "format"))
    var log = "text"

    func run() throws {
        let name = "gst-capture-serve"
        guard let program = InstalledProgram.path(of: name) else {
            throw CaptureError(
                .configuration, "is not installed", subject: name, advice: "install gst-capture as a whole")
        }
        var arguments = [name] + listen.flatMap { ["--listen", $0] } + ["--log", log]
        if check { arguments.append("--check") }
        if let config { arguments += ["--", config] }
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw CaptureError(
            .configuration, "cannot be started: \(String(cString: strerror(errno)))", subject: program,
            advice: "install gst-capture as a whole")
    }
}
