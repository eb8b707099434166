// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Starts a command of the library. It is in the program of the service: captures do not load its database.
struct LibraryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Find, tag and rate the pictures of this machine.",
        discussion: """
            The library is an index of pictures: those of time lapses, sessions and all other JPEG and PNG files of the \
            folders that were scanned. gst-capture library --help lists its subcommands.

            Examples:
              gst-capture library scan /srv/pictures
              gst-capture library search 'series:garden after:2026-03-01'
              gst-capture library tag 'first snow' garden-pi.garden-1204
            """)

    @Argument(parsing: .captureForPassthrough, help: "A subcommand with its options.")
    var arguments: [String] = []

    func run() throws { try InstalledProgram.execute("gst-capture-serve", ["library"] + arguments) }
}

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
