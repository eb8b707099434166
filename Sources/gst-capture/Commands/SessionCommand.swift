// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import OverlayCompositor

/// Leads somebody through a series of pictures.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Lead somebody through a series of pictures: outlines, countdown, review.",
        discussion: """
            A session is a YAML file with stages: what to do, which outline to fit, how long to count, what has to hold, \
            and what is cut out. Sessions are looked for in the folder sessions beside the presets; a path, or a name that \
            ends in .yaml, is that file.

            Examples:
              gst-capture session
              gst-capture session run avatar
              gst-capture session run loyalty-card --front 0 --back 2 -o ~/cards
              gst-capture session run avatar --camera scene --auto --json
              gst-capture session run id-card --library front.jpg --library back.jpg --auto
              gst-capture session resume avatar-20261121-101500
              gst-capture session show avatar > mine.yaml
              gst-capture session check mine.yaml
            """,
        subcommands: [List.self, Run.self, Resume.self, Show.self, Check.self],
        defaultSubcommand: List.self
    )
}

extension SessionCommand {
    /// Runs one.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run a session.",
            discussion: """
                Its pictures are in a folder of their own, with session.json, which says all of them: stage, file, hash, \
                moment and offset, what the gates found, camera, and what was cut out. When it is accepted, the folder's \
                path is printed. Where a run is killed, or left with Ctrl-C, it can be gone on with: session resume.

                Keys, in the window and in the terminal:
                  space    go on: begin, next page, count down; so do Enter, SIGUSR1, a click
                  s        skip the tutorial, or the stage where that is allowed
                  x        abort the run; what becomes of it, the session says
                  c        the camera on the other side
                  b        bring in the next picture of --library in place of a taken one
                  m        mirror
                  1 to 9   in the review: look closer at one picture; once more for all
                  r        take once more: the stage just taken, or that of the picture shown
                  a        in the review: accept
                  d        in the review: discard
                  q        cancel: its pictures are gone
                  h, ?     show the keys

                Exit status: 0 accepted; 75 cancelled, or left by its window; 130 or 143 left by SIGINT or SIGTERM; else \
                what went wrong (gst-capture help).

                With --json each line is an object with "event" and "at": opening, camera, previewing, phase, stage, countdown, \
                gate, captured (picture), failed, refused, stage-done, skipped, aborted, lost, recovered, review, notice, \
                error and finished (ending, folder, pictures, skipped). What has to be durable first is told when it is: \
                captured, stage-done, skipped and review can come after the phase that follows.
                """
        )

        @Argument(help: "The session's name, or its file.", completion: .sessions)
        var name: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The folder that the session's folder is made in.", valueName: "folder"),
            completion: .directory)
        var output = "."

        func validate() throws {
            // Of an unset variable in a script, pictures would land in the root folder; and a folder is no stream.
            guard !output.isEmpty, output != "-" else {
                throw ValidationError("--output \"\(output)\" is no folder; give . for this one")
            }
        }

        @OptionGroup var options: SessionOptions
        @OptionGroup(title: "Report") var reporting: ReportingOptions

        func run() async throws {
            let file = try SessionLibrary().file(name)
            try await SessionStart(options: options, reporting: reporting, output: .folder(in: output)).run(file)
        }
    }

    /// Goes on with one.
    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Go on with a session that was left or killed, or discard it.",
            discussion: """
                What it has is kept, and what is missing is taken; a picture that is gone from the folder is taken again. \
                Camera and encoding are to be given as they were. Without a folder, the one that was begun last in the \
                working folder is gone on with.
                """
        )

        @Argument(help: "The session's folder.", completion: .directory)
        var folder: String?

        @Flag(help: "Do not go on: remove its pictures and its folder.")
        var discard = false

        @OptionGroup var options: SessionOptions
        @OptionGroup(title: "Report") var reporting: ReportingOptions

        func run() async throws {
            let found =
                try folder.map { folder throws(CaptureError) in try SessionArchive.entry(at: folder) }
                ?? SessionArchive.latestOpen(in: ".")
            if discard {
                try await found.discard()
                return Console().tell("discarded \(found.path)")
            }
            let output = SessionConfiguration.Output.resumed(folder: found.path)
            try await SessionStart(options: options, reporting: reporting, output: output).run(try found.definition())
        }
    }

    /// Lists what is found.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sessions that are found, and those half done here (the default).")

        @Argument(help: "The folder that half-done sessions are looked for in.", completion: .directory)
        var folder = "."

        @Flag(
            help: "One JSON object a line: name, title, purpose, pictures, path, error; folder, state for those begun.")
        var json = false

        func run() {
            let listings = SessionLibrary().entries.map { SessionListing($0) }
            let begun = SessionArchive.entries(in: folder) { Console().report($0) }.map { SessionFolderListing($0) }
            if listings.isEmpty, !json { Console().tell("no sessions are found; see gst-capture help session") }
            for listing in listings {
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
            for listing in begun where json || listing.isOpen {
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
        }
    }

    /// Prints a session's file, or what is in a folder.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a session as it is written, to copy and edit; of a session's folder, what is in it.")

        @Argument(help: "Its name, its file, or its folder.", completion: .sessions)
        var name: String

        @Flag(help: "Of a folder: its session.json.")
        var json = false

        func run() throws {
            StandardStream.output.write(try text())
        }

        private func text() throws(CaptureError) -> String {
            guard LibraryPicture.isAlbum(name) else { return try SessionLibrary().file(name).text }
            let entry = try SessionArchive.entry(at: name)
            return json ? entry.record.json : SessionFolderListing(entry).table(for: Terminal(.output))
        }
    }

    /// Checks files.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say what is wrong in sessions, with line and column.")

        @Argument(help: "Names, or files.", completion: .file(extensions: ["yaml", "yml"]))
        var files: [String]

        func run() async throws { try await FileCheck(errors: errors).run(files) }

        private func errors(in file: String) async throws(CaptureError) -> [CaptureError] {
            let path = try SessionLibrary().path(file)
            let errors = SessionFile.errors(inFile: path)
            guard errors.isEmpty, let rasteriser = try? RasterProcess.installed() else { return errors }
            try await SessionShapes(SessionFile(path: path).session, in: OutlineLibrary())
                .check(by: OverlayPlanner(rasteriser))
            return []
        }
    }
}
