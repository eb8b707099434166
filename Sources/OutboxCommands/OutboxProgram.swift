// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import Glibc
import LedgerKit
import TerminalKit
import UploadKit

/// `gst-capture outbox`.
package struct OutboxProgram: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gst-capture outbox",
        abstract: "Send the pictures of time lapses and sessions to other machines, each once.",
        discussion: """
            A file names targets and what goes there:

              targets:
                archive:
                  s3: https://s3.eu-central-1.example.com/photos
                  region: eu-central-1
                  key: AKIAEXAMPLE
                  secret-file: /etc/gst-capture/archive.secret
              send:
                - from: /srv/pictures/garden
                  to: archive
                - sessions: /srv/pictures/kiosk
                  to: archive

            outbox send follows the ledgers and the accepted sessions of these folders, and sends each new picture; gst-capture timelapse and the \
            service do not wait for it. After an outage of any length it continues where it was. A picture never \
            overwrites another one, and counts as sent when the target has confirmed it.

            Examples:
              gst-capture outbox check outbox.yaml
              gst-capture outbox test archive
              gst-capture outbox send
              gst-capture outbox list
              gst-capture outbox show archive
              gst-capture outbox retry archive

            Exit status: 0 done; 64 usage; 66 no such file; 69 a target cannot be reached; 74 input or output failed; 75 \
            another sender runs, or pictures are not sent yet; 78 the file has a mistake; 130 stopped by Ctrl-C (send: 0).
            """,
        version: "gst-capture \(Version.current)",
        subcommands: [
            Send.self, List.self, Show.self, Watch.self, Test.self, Check.self, Retry.self, Drop.self, Pause.self,
            Resume.self,
        ])

    package init() {}

    /// Runs the command of these arguments, and ends the process.
    package static func run(_ arguments: [String]) -> Never {
        Interruption.run("gst-capture.outbox") {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            // Ctrl-C ends outbox watch.
            if let status = Interruption.status { Glibc.exit(status) }
        } otherwise: {
            exit(withError: $0)
        }
    }
}

/// Which outbox a command uses.
struct OutboxOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file with targets (default: gst-capture-outbox.yaml in $XDG_CONFIG_HOME or ~/.config, or "
                + "/etc/gst-capture-outbox.yaml).", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The state folder (default: $STATE_DIRECTORY, or gst-capture in $XDG_STATE_HOME or ~/.local/state).",
            valueName: "folder"), completion: .directory)
    var state: String?

    /// Reads the configuration.
    func configuration() throws(CaptureError) -> OutboxConfiguration {
        try OutboxConfiguration(path: try OutboxConfiguration.path(config, option: "--config"))
    }

    /// The folder of the outbox.
    func folder() throws(CaptureError) -> String { try OutboxConfiguration.folder(state: state, option: "--state") }

    func store() throws(CaptureError) -> OutboxStore { try OutboxStore(folder: try folder()) }
}

extension OutboxConfiguration {
    /// Returns a target that a person names.
    func target(_ id: String) throws(CaptureError) -> Target {
        if let target = targets.first(where: { $0.id == id }) { return target }
        let near = Spelling.nearest(to: id, among: targets.map(\.id)).map { "did you mean \($0)?" }
        throw CaptureError(
            .usage, "there is no such target", subject: id.withoutControls,
            advice: near ?? "name one of " + targets.map(\.id).joined(separator: ", "))
    }
}
#endif
