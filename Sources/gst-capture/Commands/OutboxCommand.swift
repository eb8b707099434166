// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Starts a command of the outbox. It is in the program of the service: captures do not load its protocols.
struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Send the pictures of time lapses to other machines, each once.",
        discussion: """
            A file names targets (S3, WebDAV, SFTP, HTTP, rclone) and the folders whose pictures go there. outbox send \
            follows the ledgers of these folders, and captures never wait for it. gst-capture outbox --help lists the \
            subcommands.

            Examples:
              gst-capture outbox check outbox.yaml
              gst-capture outbox test archive
              gst-capture outbox send
              gst-capture outbox list
            """)

    @Argument(parsing: .captureForPassthrough, help: "A subcommand with its options.")
    var arguments: [String] = []

    func run() throws { try InstalledProgram.execute("gst-capture-serve", ["outbox"] + arguments) }
}
