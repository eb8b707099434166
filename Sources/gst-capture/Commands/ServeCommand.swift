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
            prints the address. Other machines reach it only at addresses of the configuration, with a token: see serve \
            token and serve pair. gst-capture help serve run lists the options.

            Examples:
              gst-capture serve
              gst-capture serve /etc/gst-capture-serve.yaml
              gst-capture serve garden.yaml --check
              gst-capture serve garden.yaml --listen unix:/run/gst-capture/serve.sock
              gst-capture serve token add phone --role capture
              gst-capture serve pair garden.yaml
              curl -X POST http://127.0.0.1:8080/api/v1/cameras/garden/snap -o now.jpg
              curl http://127.0.0.1:8080/api/v1/status

            While it runs:
              SIGHUP             reload the configuration; series that did not change continue undisturbed
              SIGINT, SIGTERM    stop after the current picture of each series
            """,
        subcommands: [Run.self, Token.self, Pair.self], defaultSubcommand: Run.self
    )
}

extension ServeCommand {
    /// Runs the service.
    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Run the service; serve alone does the same.")

        @Argument(
            help: ArgumentHelp("The configuration.", valueName: "config"),
            completion: .file(extensions: ["yaml", "yml"]))
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

        @Flag(help: "Serve other machines without tokens: everyone who reaches the service may do everything.")
        var insecure = false

        @OptionGroup var folder: StateFolderOption

        func run() throws {
            let options = listen.flatMap { ["--listen", $0] } + ["--log", log] + folder.arguments
            let flags = (check ? ["--check"] : []) + (insecure ? ["--insecure"] : [])
            try ServeCommand.start(["run"] + options + flags + (config.map { ["--", $0] } ?? []))
        }
    }

    /// Creates, lists and removes tokens.
    struct Token: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create, list and remove the tokens of clients.",
            discussion: """
                Each token has a name and a role: view reads, capture also captures pictures and controls series, and \
                admin does everything. The service stores only a hash of it. A running service reloads the tokens at \
                once, and closes the connections of a token that was removed.

                Examples:
                  gst-capture serve token add phone --role capture
                  gst-capture serve token list
                  gst-capture serve token remove phone
                """, subcommands: [Add.self, List.self, Remove.self], defaultSubcommand: List.self)
    }

    /// Prints a link that pairs a browser.
    struct Pair: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a link, also as a QR code, that gives one browser a token.",
            discussion: "The link can be used once, within 10 minutes. serve token remove removes the token.")

        @Argument(
            help: ArgumentHelp("The configuration of the service, for its address.", valueName: "config"),
            completion: .file(extensions: ["yaml", "yml"]))
        var config: String?

        @Option(help: ArgumentHelp("The role of the token: view, capture or admin.", valueName: "role"))
        var role = "view"

        @Option(help: ArgumentHelp("The name of the token.", valueName: "name"))
        var name = "paired"

        @Option(help: ArgumentHelp("The address of the service, such as http://camera.local:8080.", valueName: "url"))
        var url: String?

        @OptionGroup var folder: StateFolderOption

        func run() throws {
            let options = ["--role", role, "--name", name] + (url.map { ["--url", $0] } ?? []) + folder.arguments
            try ServeCommand.start(["pair"] + options + (config.map { ["--", $0] } ?? []))
        }
    }
}

extension ServeCommand.Token {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a token, and print it once.")

        @Argument(help: ArgumentHelp("Its name: letters, digits, - and _.", valueName: "name"))
        var name: String

        @Option(help: ArgumentHelp("Its role: view, capture or admin.", valueName: "role"))
        var role = "view"

        @OptionGroup var folder: StateFolderOption

        func run() throws {
            try ServeCommand.start(["token", "add", "--role", role] + folder.arguments + ["--", name])
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the name, role and time of each token.")

        @OptionGroup var folder: StateFolderOption

        func run() throws { try ServeCommand.start(["token", "list"] + folder.arguments) }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a token; its connections are closed.")

        @Argument(help: ArgumentHelp("Its name.", valueName: "name"))
        var name: String

        @OptionGroup var folder: StateFolderOption

        func run() throws { try ServeCommand.start(["token", "remove"] + folder.arguments + ["--", name]) }
    }
}

/// The folder in which the service keeps its tokens.
struct StateFolderOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the tokens (default: $STATE_DIRECTORY, or gst-capture in $XDG_STATE_HOME or "
                + "~/.local/state).", valueName: "folder"), completion: .directory)
    var state: String?

    /// The arguments for the service.
    var arguments: [String] { state.map { ["--state", $0] } ?? [] }
}

extension ServeCommand {
    /// Replaces this process with the service.
    static func start(_ arguments: [String]) throws {
        try InstalledProgram.execute("gst-capture-serve", arguments)
    }
}

extension InstalledProgram {
    /// Replaces this process with another program of gst-capture (`execv(3)`).
    ///
    /// - Throws: `CaptureError` `.configuration` if it is not installed.
    static func execute(_ name: String, _ arguments: [String]) throws {
        guard let program = path(of: name) else {
            throw CaptureError(
                .configuration, "is not installed", subject: name,
                advice: "install the package gst-capture-serve, or gst-capture as a whole")
        }
        var pointers: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw CaptureError(
            .configuration, "cannot be started: \(String(cString: strerror(errno)))", subject: program,
            advice: "install gst-capture as a whole")
    }
}
